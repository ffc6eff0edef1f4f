"""Messages of protocol buffers as bytes, for tests of what reads them: written by the encoding's own rules."""


def varint(number):
    out = b''
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """A field of a message: a number, or a text, a message or packed numbers."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else b''.join(map(varint, value)) if isinstance(value, list) else value
    return varint(number << 3 | 2) + varint(len(value)) + value
