// first.cpp - the same library from C++17: a handle that frees itself.
#include <bloomery/bloomery.h>
#include <iostream>
#include <memory>
#include <string_view>

struct Free {
    void operator()(blm_filter *f) const { blm_free(f); }
};
using Filter = std::unique_ptr<blm_filter, Free>;

static Filter make(const char *spec)
{
    blm_filter *f = nullptr;
    blm_report why;
    if (blm_make(&f, spec, &why)) std::cerr << why.text << '\n';
    return Filter(f);
}

int main()
{
    const Filter f = make("blocked keys=1e6 fpr=0.1%");
    if (!f) return 1;
    const std::string_view plum = "plum", pear = "pear";
    blm_add(f.get(), plum.data(), plum.size());
    for (const auto &fruit : {plum, pear})
        std::cout << fruit << ": "
                  << (blm_has(f.get(), fruit.data(), fruit.size()) ? "maybe" : "no") << '\n';
}
