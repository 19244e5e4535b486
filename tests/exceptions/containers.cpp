// Containers of objects whose copies fail.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>
static int alive, copies, fails_at;
struct Item { int n; Item(int n) : n(n) { alive++; } Item(const Item &o) : n(o.n) { if (++copies == fails_at) throw std::string("copy ") + std::to_string(copies); alive++; } ~Item() { alive--; } };
static int fill(int count) { std::vector<Item> v; for (int i = 0; i < count; i++) v.push_back(Item(i)); std::vector<Item> w = v; int s = 0; for (Item &x : w) s += x.n; return s; }
int main() {
    for (fails_at = 0; fails_at < 40; fails_at += 7) {
        copies = 0;
        try { printf("%d ", fill(9)); } catch (const std::string &s) { printf("%s ", s.c_str()); }
        printf("alive %d\n", alive);
        std::map<int, std::unique_ptr<Item>> m;
        try { for (int i = 0; i < 5; i++) { m[i * 3 % 5] = std::make_unique<Item>(i); if (i == fails_at / 7) throw i; } } catch (int i) { printf("map %d of %d ", i, (int)m.size()); }
        m.clear();
        printf("alive %d\n", alive);
    }
}
