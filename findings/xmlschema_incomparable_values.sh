#!/usr/bin/env bash
# Guess: two validators of XML Schema 1.0 agree on durations and floats: values that the standard's partial order does
#        not compare are not within a bound, so P1M is invalid under maxInclusive P30D, and NaN under INF.
# Seen:  so does libxml2; xmlschema holds both for valid. And libxml2 takes 24:00:00, which means midnight, for later
#        than noon, which xmlschema does not.
# lxml 6.1.3 (libxml2 2.14.6) and xmlschema 4.3.2 of PyPI.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

from_pypi lxml==6.1.3 xmlschema==4.3.2
cat >valid.py <<'EOF'
import sys
from lxml import etree
import xmlschema
kind, bound, value = sys.argv[1:]
schema = f'''<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"><xs:simpleType>
<xs:restriction base="xs:{kind}"><xs:maxInclusive value="{bound}"/></xs:restriction>
</xs:simpleType></xs:element></xs:schema>'''
text = f'<a>{value}</a>'
print(etree.XMLSchema(etree.fromstring(schema)).validate(etree.fromstring(text)),
      xmlschema.XMLSchema(schema).is_valid(text))
EOF
differs 'libxml2, xmlschema: P29D within P30D' 'True True' "$(python valid.py duration P30D P29D)"
differs 'libxml2, xmlschema: P1M within P30D' 'False True' "$(python valid.py duration P30D P1M)"
differs 'libxml2, xmlschema: NaN within INF' 'False True' "$(python valid.py double INF NaN)"
differs 'libxml2, xmlschema: 24:00:00 within 12:00:00' 'False True' "$(python valid.py time 12:00:00 24:00:00)"
