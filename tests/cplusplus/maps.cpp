#include "prelude.h"

template <class K, class V> class Map {
    struct Entry { K key; V value; bool used = false; };
    Entry *entries;
    unsigned room, count = 0;
    static unsigned hash(const K &key) {
        unsigned h = 2166136261u;
        word bits = word(key);
        for (int k = 0; k < 8; k++) h = (h ^ (bits >> 8 * k & 255)) * 16777619u;
        return h;
    }
    Entry &find(const K &key) const {
        for (unsigned k = hash(key);; k++) {
            Entry &entry = entries[k & (room - 1)];
            if (!entry.used || entry.key == key) return entry;
        }
    }
    static Entry *make(unsigned room) {
        auto *entries = static_cast<Entry *>(malloc(room * sizeof(Entry)));
        for (unsigned k = 0; k < room; k++) new (entries + k) Entry();
        return entries;
    }
public:
    Map() : entries(make(8)), room(8) {}
    ~Map() { free(entries); }
    V &operator[](const K &key) {
        if (2 * count >= room) {
            Entry *old = entries;
            unsigned before = room;
            entries = make(room *= 2);
            for (unsigned k = 0; k < before; k++) if (old[k].used) find(old[k].key) = old[k];
            free(old);
        }
        Entry &entry = find(key);
        if (!entry.used) { entry.key = key; entry.used = true; count++; }
        return entry.value;
    }
    bool has(const K &key) const { return find(key).used; }
    unsigned length() const { return count; }
    template <class F> void each(F f) const { for (unsigned k = 0; k < room; k++) if (entries[k].used) f(entries[k].key, entries[k].value); }
};
int main() {
    Map<int, long long> squares;
    for (int k = -100; k < hidden(100); k++) squares[k * 7] += (long long)k * k;
    long long sum = 0;
    squares.each([&](int key, long long value) { sum = (sum + key * value) ^ value; });
    num(squares.length()); num(sum); num(squares[70]); num(squares.has(71)); num(squares.has(-700));
    Map<char, int> letters;
    for (const char *at = "the quick brown fox jumps over the lazy dog"; *at; at++) letters[*at]++;
    for (char c = 'a'; c <= 'z'; c++) num(letters[c]);
    line();
    return 0;
}
