/* Switches that become tables: with holes, at the ends of types, in clusters, with values that meet, in loops, and by address. */
#include <stdio.h>
typedef long long ll;
__attribute__((noinline)) int dense(int x){switch(x){case 0:return 7;case 1:return 11;case 2:return 3;case 3:return -5;case 4:return 99;case 5:return 12;case 6:return 4;case 7: return 70;default:return -1;}}
__attribute__((noinline)) void say(int k){printf("%d ",k);}
__attribute__((noinline)) void holes(int x){switch(x){case 10:say(1);break;case 11:say(2);break;case 13:say(3);case 14:say(4);break;case 17:say(5);break;case 18:say(1);break;case 20:say(6);break;default:say(0);}}
__attribute__((noinline)) void neg(int x){switch(x){case -5:say(1);break;case -4:say(2);break;case -3:say(3);break;case -2:say(4);break;case -1:say(5);break;case 0:say(6);break;case 1:say(7);break;case 3:say(8);break;}}
__attribute__((noinline)) void wide(ll x){switch(x){case 0x100000000ll:say(1);break;case 0x100000001ll:say(2);break;case 0x100000002ll:say(3);break;case 0x100000003ll:say(4);break;case 0x100000004ll:say(5);break;case 0x100000005ll:say(6);break;case 5:say(9);break;default:say(0);}}
__attribute__((noinline)) void ends(int x){switch(x){case -2147483647-1:say(1);break;case -2147483647:say(2);break;case -2147483646:say(3);break;case -2147483645:say(4);break;case -2147483644:say(5);break;case -2147483643:say(6);break;
 case 2147483647:say(7);break;case 2147483646:say(8);break;case 2147483645:say(9);break;case 2147483644:say(10);break;case 2147483643:say(11);break;case 2147483642:say(12);break;default:say(0);}}
__attribute__((noinline)) void llends(ll x){switch(x){case 0x7fffffffffffffffll:say(1);break;case 0x7ffffffffffffffell:say(2);break;case 0x7ffffffffffffffdll:say(3);break;case 0x7ffffffffffffffcll:say(4);break;case 0x7ffffffffffffffbll:say(5);break;case -0x7fffffffffffffffll-1:say(6);break;case -0x7fffffffffffffffll:say(7);break;case -0x7ffffffffffffffell:say(8);break;case -0x7ffffffffffffffdll:say(9);break;case -0x7ffffffffffffffcll:say(10);break;default:say(0);}}
__attribute__((noinline)) void clusters(unsigned x){switch(x){
#define C(n) case n:say(n%13);break;case n+1:say(n%7+20);break;case n+2:say(n%5+40);break;case n+3:say(n%3);break;case n+4:say(n%11);break;case n+5:say(n%17);break;
C(100)C(1000)C(5000)C(100000)
case 7:say(77);break;case 50:say(78);break;case 0xffffffff:say(79);break;default:say(0);}}
__attribute__((noinline)) int phis(int x,int a,int b){int r=a;switch(x){case 0:r=a+1;break;case 1:r=b;break;case 2:break;case 3:r=b*a;break;case 4:r=b;break;case 5:r=7;break;case 6:r=9;break;case 7:r=a-b;break;default:r=b;}return r*3+b;}
__attribute__((noinline)) int loop(const unsigned char*s){int st=0,n=0;for(;;){unsigned char c=*s++;if(!c)return n*10+st;
 switch(st){case 0:if(c=='a')st=1;else st=5;break;case 1:st=c=='b'?2:0;n++;break;case 2:st=3;n+=c;break;case 3:st=c&7;break;case 4:st=6;n^=5;break;case 5:st=c%8;break;case 6:n+=2;st=7;break;case 7:st=0;continue;}}}
__attribute__((noinline)) int ch(signed char c){switch(c){case -128:return 1;case -127:return 2;case -126:return 3;case -125:return 9;case -124:return 4;case -123:return 44;case 127:return 5;case 126:return 6;case 125:return 7;case 124:return 8;case 123:return 88;default:return c;}}
__attribute__((noinline)) int uch(unsigned char c){switch(c){
#define D(n) case n: n%3?say(n):say(n/3); return n*7%31;
#define E(n) D(n)D(n+1)D(n+2)D(n+3)
#define F(n) E(n)E(n+4)E(n+8)E(n+12)
#define G(n) F(n)F(n+16)F(n+32)F(n+48)
G(0)G(64)G(128)G(192)}return -9;}
__attribute__((noinline)) double dbl(int x,double d){switch(x&7){case 0:d+=1;break;case 1:d*=2;break;case 2:d-=3;break;case 3:d/=7;break;case 4:d=-d;break;case 5:d=d*d;break;case 6:d=0.5;break;case 7:d+=x;break;}return d+0.25;}
int interp(const unsigned char*p,ll*out){static void*t[]={&&halt,&&push,&&add,&&mul,&&dup,&&jnz,&&dec,&&swap};ll st[32];int sp=0;ll cnt=0;
#define NEXT cnt++;goto *t[*p++]
NEXT;
push:st[sp++]=*p++;NEXT;add:sp--;st[sp-1]+=st[sp];NEXT;mul:sp--;st[sp-1]*=st[sp];NEXT;dup:st[sp]=st[sp-1];sp++;NEXT;
jnz:{int d=(signed char)*p++;if(st[sp-1])p+=d;}NEXT;dec:st[sp-1]--;NEXT;swap:{ll q=st[sp-1];st[sp-1]=st[sp-2];st[sp-2]=q;}NEXT;
halt:*out=st[0];return cnt;}
int main(){int x;ll k;for(x=-3;x<12;x++)printf("%d ",dense(x));puts("");for(x=5;x<25;x++)holes(x);puts("");for(x=-8;x<8;x++)neg(x);puts("");
for(k=-2;k<9;k++){wide(k);wide(0x100000000ll+k);wide(0x200000000ll+k);}puts("");
for(x=0;x<9;x++){ends(-2147483647-1+x);ends(2147483647-x);ends(x);llends(0x7fffffffffffffffll-x);llends(-0x7fffffffffffffffll-1+x);llends(x);}puts("");
unsigned cs[]={7,50,0xffffffff,99,106,1005,999,5000,5006,100000,100005,100006,12,103,1003,0};for(x=0;x<16;x++)clusters(cs[x]);puts("");
for(x=-2;x<11;x++)printf("%d ",phis(x,x*5+1,100-x));puts("");
printf("%d %d %d\n",loop((void*)"abcdefghijklmnop"),loop((void*)"zaqwsxcde"),loop((void*)"aabbaabbcc"));
for(x=-128;x<128;x++)printf("%d ",ch(x));puts("");for(x=0;x<256;x++)printf("%d ",uch(x));puts("");
double d=1;for(x=0;x<40;x++){d=dbl(x*x+x/3,d);if(d>1e6||d<-1e6)d=2;printf("%g ",d);}puts("");
unsigned char prog[]={1,1,1,200,7,1,3,3,7,6,5,(unsigned char)-8,2,0};ll o;int c=interp(prog,&o);printf("%d %lld\n",c,o);return 0;}
