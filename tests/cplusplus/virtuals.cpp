#include "prelude.h"

struct Shape {
    int tag = 7;
    virtual ~Shape() { num(-tag); }
    virtual long area() const = 0;
    virtual const char *name() const { return "shape"; }
};
struct Square : Shape {
    int side;
    explicit Square(int side) : side(side) { tag = side; }
    long area() const override { return long(side) * side; }
    ~Square() override { num(-1000); }
};
struct Rectangle final : Shape {
    int wide, high;
    Rectangle(int wide, int high) : wide(wide), high(high) {}
    long area() const override { return long(wide) * high; }
    const char *name() const override { return "rectangle"; }
};
void operator delete(void *at) noexcept { free(at); }
void operator delete(void *at, size) noexcept { free(at); }
void *operator new(size bytes) { return malloc(bytes); }

static long total(Shape *const *shapes, int count) {
    long sum = 0;
    for (int k = 0; k < count; k++) {
        printf("%s ", shapes[k]->name());
        sum += shapes[k]->area();
    }
    return sum;
}
int main() {
    Shape *shapes[] = {new Square(hidden(4)), new Rectangle(3, hidden(5)), new Square(6)};
    num(total(shapes, 3));
    for (Shape *shape : shapes) delete shape;
    line();
    return 3;
}
