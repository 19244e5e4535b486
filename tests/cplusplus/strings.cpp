#include "prelude.h"

class String {
    char small[16] = {};
    char *at = small;
    int used = 0, room = 15;
public:
    String() = default;
    String(const char *text) { *this += text; }
    String(const String &other) { *this += other.at; }
    String(String &&other) noexcept : used(other.used), room(other.room) {
        if (other.at == other.small) for (int k = 0; k < 16; k++) small[k] = other.small[k];
        else { at = other.at; other.at = other.small; }
        other.used = 0; other.small[0] = 0; other.room = 15;
    }
    ~String() { if (at != small) free(at); }
    String &operator=(String other) { this->~String(); new (this) String(static_cast<String &&>(other)); return *this; }
    String &operator+=(const char *text) { while (*text) push(*text++); return *this; }
    void push(char c) {
        if (used == room) {
            char *more = static_cast<char *>(malloc(room * 2 + 1));
            for (int k = 0; k < used; k++) more[k] = at[k];
            if (at != small) free(at);
            at = more; room *= 2;
        }
        at[used++] = c; at[used] = 0;
    }
    int length() const { return used; }
    const char *c() const { return at; }
    char operator[](int k) const { return at[k]; }
    friend String operator+(String a, const String &b) { a += b.c(); return a; }
    friend bool operator<(const String &a, const String &b) {
        const char *x = a.at, *y = b.at;
        while (*x && *x == *y) x++, y++;
        return byte(*x) < byte(*y);
    }
};
template <class T> void swap(T &a, T &b) { T t = static_cast<T &&>(a); a = static_cast<T &&>(b); b = static_cast<T &&>(t); }
static String number(long long x) {
    String out;
    if (x < 0) { out.push('-'); x = -x; }
    if (x >= 10) out += number(x / 10).c();
    out.push(char('0' + x % 10));
    return out;
}
int main() {
    String names[] = {"pear", "apple", "a rather long name of a fruit", "fig", number(hidden(-1234567890123LL))};
    for (int k = 0; k < 5; k++) for (int j = k + 1; j < 5; j++) if (names[j] < names[k]) swap(names[j], names[k]);
    String all;
    for (String &name : names) { all = all + name + ","; printf("%s %d\n", name.c(), name.length()); }
    printf("%s %d %c\n", all.c(), all.length(), all[7]);
    return 0;
}
