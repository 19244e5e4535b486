// Objects with memory of their own whose operators check: sums and products of matrices, and what is left is given back.
#include <cstdio>
#include <stdexcept>
static int live;
struct Matrix {
    int r, c; double *v;
    Matrix(int r, int c) : r(r), c(c), v(new double[r * c]()) { live++; if (r > 4) { delete[] v; live--; throw std::length_error("too large"); } }
    Matrix(const Matrix &o) : Matrix(o.r, o.c) { for (int i = 0; i < r * c; i++) v[i] = o.v[i]; }
    Matrix &operator=(const Matrix &) = delete;
    ~Matrix() { delete[] v; live--; }
    double &at(int i, int j) { if (i < 0 || j < 0 || i >= r || j >= c) throw std::out_of_range("index"); return v[i * c + j]; }
};
static Matrix operator*(const Matrix &a, const Matrix &b) { if (a.c != b.r) throw std::invalid_argument("shapes"); Matrix m(a.r, b.c); for (int i = 0; i < a.r; i++) for (int j = 0; j < b.c; j++) for (int k = 0; k < a.c; k++) m.v[i * b.c + j] += a.v[i * a.c + k] * b.v[k * b.c + j]; return m; }
static Matrix made(int r, int c) { Matrix m(r, c); for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) m.at(i, j) = i * 0.5 + j; return m; }
int main() {
    for (int n = 1; n < 7; n++) {
        try { Matrix a = made(n, 3), b = made(3, n % 3 + 1), c = a * b * made(n % 3 + 1, 2); printf("%g ", c.at(n - 1, 1)); printf("%g\n", c.at(2, n - 2)); }
        catch (const std::out_of_range &e) { printf("%s ", e.what()); try { Matrix d = made(2, 3) * made(2, 3); } catch (const std::logic_error &f) { printf("%s\n", f.what()); } }
        catch (const std::exception &e) { printf("%s\n", e.what()); }
        printf("live %d\n", live);
    }
}
