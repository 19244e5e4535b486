// `std::bad_alloc`, `std::bad_cast`, `std::out_of_range` and what they are derived from, thrown by the library.
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>
struct A { virtual ~A() {} }; struct B : A {}; struct C : A {};
static void raise(int k) {
    std::vector<int> v(3); B b; A &a = b; std::string s = "abc";
    switch (k) {
    case 0: v.at(5) = 1; break;
    case 1: (void)dynamic_cast<C &>(a); break;
    case 2: throw std::bad_alloc();
    case 3: s.substr(9); break;
    case 4: throw std::runtime_error("run " + s);
    case 5: throw std::logic_error(std::string(40, 'x'));
    case 6: (void)std::stoi("no number"); break;
    case 7: v.reserve((size_t)-1); break;
    }
}
int main() {
    for (int k = 0; k < 9; k++) {
        try { raise(k); printf("nothing\n"); }
        catch (const std::out_of_range &) { printf("out of range\n"); }
        catch (const std::logic_error &e) { printf("logic %s\n", k == 5 ? e.what() : ""); }
        catch (const std::bad_cast &) { printf("cast\n"); }
        catch (const std::runtime_error &e) { printf("%s\n", e.what()); }
        catch (const std::exception &) { printf("exception\n"); }
    }
}
