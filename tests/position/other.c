_Thread_local int theirs = 7;
int data = 3, table[8] = {1, 2, 3, 4};
int twice(int x) { return x * 2 + theirs; }
