// Functions as values that throw, through code that knows nothing of it.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>
struct Stop { int at; };
template <class F> static int guarded(F f) { try { return f(); } catch (Stop s) { return -s.at; } }
static std::function<int(int)> composed(std::vector<std::function<int(int)>> all) { return [all](int x) { for (auto &f : all) x = f(x); return x; }; }
int main() {
    std::vector<int> v = {5, 3, 9, 1, 7};
    for (int limit = 0; limit < 12; limit += 3) {
        int count = 0;
        printf("%d ", guarded([&] { std::sort(v.begin(), v.end(), [&](int a, int b) { if (++count == limit) throw Stop{count}; return a > b; }); return v[0]; }));
        auto f = composed({[](int x) { return x + 1; }, [limit](int x) { if (x == limit) throw Stop{x}; return x * 2; }, [](int x) -> int { if (x > 12) throw Stop{x}; return x - 3; }});
        for (int x = 0; x < 9; x++) printf("%d ", guarded([&] { return f(x); }));
        printf("\n");
        std::sort(v.begin(), v.end());
    }
}
