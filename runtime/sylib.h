/* The SysY runtime library: what a SysY program may call without declaring it. */
#ifndef SYSY_SYLIB_H
#define SYSY_SYLIB_H

#ifdef __cplusplus
extern "C" {
#endif

int getint(void);
int getch(void);
float getfloat(void);
int getarray(int a[]);
int getfarray(float a[]);

void putint(int value);
void putch(int byte);
void putfloat(float value);
void putarray(int n, int a[]);
void putfarray(int n, float a[]);
void putf(char format[], ...);

/* In SysY these two are calls without arguments; the line of the call names the timer. */
#define starttime() _sysy_starttime(__LINE__)
#define stoptime() _sysy_stoptime(__LINE__)
void _sysy_starttime(int line);
void _sysy_stoptime(int line);

#ifdef __cplusplus
}
#endif

#endif
