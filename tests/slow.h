/* slow.h - TEST_SLOW: above 0 where each instruction costs several, so that long loops take fewer rounds.
 *
 * Sanitizers look at memory, coverage at which lines run, other machines (emulated) at bytes: none of them needs the
 * samples that a rate needs. The compiler tells of sanitizers (1); -DTEST_SLOW=2 says it of the others, which need not
 * look for wrong accesses either.
 */
#ifndef BLM_TESTS_SLOW_H
#define BLM_TESTS_SLOW_H
#if defined(TEST_SLOW)
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SLOW 1
#endif
#endif
#ifndef TEST_SLOW
#define TEST_SLOW 0
#endif
#endif
