// `std::exception_ptr`, `current_exception`, `uncaught_exceptions`, nested ones.
#include <cstdio>
#include <exception>
#include <stdexcept>
static std::exception_ptr kept;
struct Watch { ~Watch() { printf("uncaught %d ", std::uncaught_exceptions()); try { if (std::uncaught_exceptions()) throw 5; } catch (int i) { printf("in it %d ", i); } } };
static void tell(const std::exception &e, int depth) { printf("%*s%s\n", depth, "", e.what()); try { std::rethrow_if_nested(e); } catch (const std::exception &inner) { tell(inner, depth + 1); } }
static void nest(int n) { try { if (n == 0) throw std::runtime_error("bottom"); nest(n - 1); } catch (...) { std::throw_with_nested(std::logic_error(n % 2 ? "odd" : "even")); } }
int main() {
    try { Watch w; throw 1; } catch (int) { kept = std::current_exception(); printf("kept %d\n", kept != nullptr); }
    try { std::rethrow_exception(kept); } catch (int i) { printf("again %d\n", i); }
    { Watch w; }
    printf("\n");
    try { nest(4); } catch (const std::exception &e) { tell(e, 0); }
    kept = std::make_exception_ptr(2.5);
    try { Watch w; std::rethrow_exception(kept); } catch (double d) { printf("%g\n", d); }
}
