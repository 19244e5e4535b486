// What is caught is chosen by its type, in the order of the handlers; bases catch what is derived from them.
extern "C" int printf(const char *, ...);
struct Base { int x; virtual ~Base() {} virtual const char *name() const { return "Base"; } };
struct Left : virtual Base { const char *name() const override { return "Left"; } };
struct Right : virtual Base { const char *name() const override { return "Right"; } };
struct Both : Left, Right { const char *name() const override { return "Both"; } };
enum Colour { RED, GREEN };
static void raise(int k) {
    switch (k) {
    case 0: throw 1;
    case 1: throw 2u;
    case 2: throw 3L;
    case 3: throw 4.5;
    case 4: throw 5.5f;
    case 5: throw 'c';
    case 6: throw "text";
    case 7: { Both b; b.x = 7; throw b; }
    case 8: { Left l; l.x = 8; throw l; }
    case 9: throw GREEN;
    case 10: { static Right r; r.x = 10; throw &r; }
    case 11: throw nullptr;
    case 12: throw true;
    default: printf("nothing\n");
    }
}
int main() {
    for (int k = 0; k < 14; k++) {
        try {
            raise(k);
        } catch (int x) {
            printf("int %d\n", x);
        } catch (unsigned x) {
            printf("unsigned %u\n", x);
        } catch (long x) {
            printf("long %ld\n", x);
        } catch (double x) {
            printf("double %g\n", x);
        } catch (float x) {
            printf("float %g\n", x);
        } catch (char x) {
            printf("char %c\n", x);
        } catch (const char *x) {
            printf("text %s\n", x);
        } catch (const Right &x) {
            printf("Right& %s %d\n", x.name(), x.x);
        } catch (Base &x) {
            printf("Base& %s %d\n", x.name(), x.x);
        } catch (Base *x) {
            printf("Base* %s %d\n", x ? x->name() : "null", x ? x->x : -1);
        } catch (Colour c) {
            printf("Colour %d\n", c);
        } catch (...) {
            printf("other %d\n", k);
        }
    }
}
