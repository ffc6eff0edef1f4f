# Three jobs on two machines.
3 2
0 3 1 2
1 4 0 1
0 2 1 5
