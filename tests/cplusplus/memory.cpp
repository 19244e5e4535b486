#include "prelude.h"

static int made, gone;
void *operator new(size bytes) { made++; return malloc(bytes ? bytes : 1); }
void *operator new[](size bytes) { made += 10; return malloc(bytes); }
void operator delete(void *at) noexcept { gone++; free(at); }
void operator delete(void *at, size) noexcept { gone++; free(at); }
void operator delete[](void *at) noexcept { gone += 10; free(at); }
void operator delete[](void *at, size) noexcept { gone += 10; free(at); }

template <class T> class Owner {
    T *at;
public:
    explicit Owner(T *at = nullptr) : at(at) {}
    Owner(Owner &&other) noexcept : at(other.at) { other.at = nullptr; }
    Owner &operator=(Owner &&other) noexcept { T *old = at; at = other.at; other.at = old; return *this; }
    ~Owner() { delete at; }
    T *operator->() const { return at; }
    T &operator*() const { return *at; }
    explicit operator bool() const { return at; }
};
template <class T> class Vector {
    T *items = nullptr;
    int used = 0, room = 0;
public:
    Vector() = default;
    Vector(const Vector &other) { for (int k = 0; k < other.used; k++) push(other.items[k]); }
    ~Vector() { clear(); free(items); }
    void clear() { while (used) items[--used].~T(); }
    void push(const T &x) {
        if (used == room) {
            room = room ? room * 2 : 2;
            T *more = static_cast<T *>(malloc(room * sizeof(T)));
            for (int k = 0; k < used; k++) { new (more + k) T(static_cast<T &&>(items[k])); items[k].~T(); }
            free(items);
            items = more;
        }
        new (items + used++) T(x);
    }
    T &operator[](int k) { return items[k]; }
    int length() const { return used; }
};
struct Node {
    int key;
    Owner<Node> left, right;
    Node(int key) : key(key) {}
    ~Node() { num(key); }
};
static void insert(Owner<Node> &at, int key) {
    if (!at) at = Owner<Node>(new Node(key));
    else insert(key < at->key ? at->left : at->right, key);
}
struct Item { int a; long long b; Item(int a) : a(a), b(a * 3LL) {} Item(const Item &o) : a(o.a), b(o.b + 1) {} ~Item() { b = -1; } };

int main() {
    {
        Owner<Node> root;
        const int keys[] = {5, 2, 8, 1, 9, 3};
        for (int key : keys) insert(root, hidden(key));
        Vector<Item> items;
        for (int k = 0; k < hidden(20); k++) items.push(Item(k));
        Vector<Item> copy = items;
        long long sum = 0;
        for (int k = 0; k < copy.length(); k++) sum += copy[k].b + copy[k].a;
        num(sum);
        Node *many = new Node[3]{Node(11), Node(12), Node(13)};
        delete[] many;
    }
    line();
    num(made); num(gone);
    line();
    return 0;
}
