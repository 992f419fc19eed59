// set.cpp - C++17: a filter that frees itself, errors as exceptions, keys as std::string_view.
#include <bloomery/bloomery.h>
#include <cstdio>
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
    explicit bloom_set(const char *spec) : bloom_set(spec, blm_make) {}
    explicit bloom_set(const blm_config *wish) : bloom_set(wish, blm_new) {}
    // The file is mapped, and its checksums are compared first.
    static bool file_may_contain(const char *path, std::string_view key)
    {
        blm_filter *f = nullptr;
        blm_report why{};
        if (blm_map(&f, path, BLM_OPEN(.check = BLM_CHECK_ALL), &why) != BLM_OK)
            throw std::runtime_error(why.text);
        const std::unique_ptr<blm_filter, filter_free> mapped(f);
        return blm_has(f, key.data(), key.size());
    }
    void write(const char *path) const
    {
        blm_report why{};
        if (blm_write(filter.get(), path, BLM_WRITE_REPLACE, &why) != BLM_OK)
            throw std::runtime_error(why.text);
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
    template <typename T, typename F> bloom_set(T from, F make)
    {
        blm_filter *f = nullptr;
        blm_report why{};
        if (make(&f, from, &why) != BLM_OK) throw std::invalid_argument(why.text);
        filter.reset(f);
    }
    std::unique_ptr<blm_filter, filter_free> filter;
};

} // namespace

int main()
try {
    bloom_set seen("blocked keys=1e6 fpr=0.1%");
    seen.insert("plum");
    std::cout << "plum: " << (seen.may_contain("plum") ? "maybe" : "no") << '\n';
    std::cout << "pear: " << (seen.may_contain("pear") ? "maybe" : "no") << '\n';
    bloom_set sized(BLM_CONFIG(.keys = 1000000, .kind = "standard", .fpr = 1e-6));
    sized.insert("quince");
    sized.write("example_set.blm");
    if (!bloom_set::file_may_contain("example_set.blm", "quince")) return 1;
    if (std::remove("example_set.blm") != 0) return 1;
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
