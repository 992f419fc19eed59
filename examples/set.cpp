// set.cpp - C++17: a filter that frees itself, errors as exceptions, keys as std::string_view.
#include <bloomery/bloomery.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace
{

struct filter_free {
    void operator()(blm_filter *f) const { blm_free(f); }
};

class bloom_set
{
  public:
    explicit bloom_set(const char *spec)
    {
        blm_filter *f = nullptr;
        blm_report why{};
        if (blm_make(&f, spec, &why) != BLM_OK) throw std::invalid_argument(why.text);
        filter.reset(f);
    }
    void insert(std::string_view key)
    {
        const blm_err err = blm_add(filter.get(), key.data(), key.size());
        if (err != BLM_OK) throw std::length_error(blm_strerror(err));
    }
    bool may_contain(std::string_view key) const
    {
        return blm_has(filter.get(), key.data(), key.size());
    }

  private:
    std::unique_ptr<blm_filter, filter_free> filter;
};

} // namespace

int main()
try {
    bloom_set seen("blocked keys=1e6 fpr=0.1%");
    seen.insert("plum");
    std::cout << "plum: " << (seen.may_contain("plum") ? "maybe" : "no") << '\n';
    std::cout << "pear: " << (seen.may_contain("pear") ? "maybe" : "no") << '\n';
    try {
        bloom_set wrong("blokced keys=10");
    } catch (const std::invalid_argument &why) {
        std::cout << why.what() << '\n';
        return seen.may_contain("plum") ? 0 : 1;
    }
    return 1;
} catch (...) {
    return 1;
}
