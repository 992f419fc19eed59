/* bloomery/value.h - kinds that store a value per key, many sets, or a dense index.
 *
 *     uint64_t value;
 *     switch (blm_get(f, "plum", 4, &value)) {
 *     case BLM_OK: return use(value);
 *     case BLM_E_ABSENT: return not_there();       // certain
 *     default: return ask_the_database();          // BLM_E_UNSURE: it does not know
 *     }
 *
 * Calls fail with BLM_E_CANNOT if the filter lacks the ability (blm_can), with BLM_E_READONLY if
 * they would change a mapped filter, and with BLM_E_KEY if it was opened without its secret.
 */
#ifndef BLOOMERY_VALUE_H
#define BLOOMERY_VALUE_H
#include <bloomery/core.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Sets *min and *max to the legal arguments of a key, such as weights, values or sets. Returns
 * false, and sets nothing, if keys of f take no argument. */
BLM_API bool blm_arg_range(const blm_filter *f, uint64_t *min, uint64_t *max);

/* Sets *value to the value of a key. Fails with BLM_E_ABSENT if the key is certainly not in the
 * set, with BLM_E_UNSURE if the filter does not know. A non-member may get the value of another
 * key. */
BLM_API blm_err blm_get(const blm_filter *f, const void *key, size_t len, uint64_t *value);

/* Like blm_get, for an item. */
BLM_API blm_err blm_get_item(const blm_filter *f, const blm_item *it, uint64_t *value);

/* Stores a value for a key, in place of the one it had. Fails with BLM_E_FULL, and stores
 * nothing, if there is no room, with BLM_E_ARG if the value is outside the range of the filter.
 * Kinds whose keys get their first value by blm_add_item(), such as state-machine, fail with
 * BLM_E_ABSENT, and store nothing, if the key is certainly not in the set. */
BLM_API BLM_MUST_USE blm_err blm_put(blm_filter *f, const void *key, size_t len, uint64_t value);

/* Like blm_put, for an item; the value is its argument. */
BLM_API BLM_MUST_USE blm_err blm_put_item(blm_filter *f, const blm_item *it);

/* Sets yes[i] to whether the key may be in the set with number sets[i], for n sets. */
BLM_API blm_err blm_which(const blm_filter *f, const blm_item *it, const uint64_t *sets, size_t n,
                          uint8_t *yes);

/* Sets *dense to the number of a member, from 0 to keys - 1, different for each. A non-member may
 * get any number. */
BLM_API blm_err blm_index(const blm_filter *f, const blm_item *it, uint64_t *dense);

/* Lists the keys of f, each once, by their hashes. *n is the number of items that fit into out, and
 * becomes the number of keys; with out NULL it only counts them. Kinds that keep fingerprints, such
 * as quotient and cuckoo, list each fingerprint once, by the smallest hash that has it: calls with
 * this item mean all keys of that fingerprint. Added to an empty filter of the same make, each as
 * often as blm_count_item() says, the items are the set again. Fails with BLM_E_UNSURE if the keys
 * cannot be told apart. */
BLM_API blm_err blm_list(const blm_filter *f, blm_item *out, size_t *n, blm_report *why);

#ifdef __cplusplus
}
#endif
#endif
