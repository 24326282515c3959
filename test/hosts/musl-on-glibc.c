/*
 * Lets a musl machine's program use the C++ library of a glibc machine, for a smoke test on a machine that has musl
 * but no C++ library for it. Preloaded; gives what glibc's libstdc++ and libgcc ask of their C library and musl lacks.
 * Destructors of threads are not run. Built without any C library: cc -shared -fPIC -nostdlib
 */

typedef unsigned long size;

size strftime_l(char *, size, const char *, const void *, void *);
long getrandom(void *, size, unsigned);

char __libc_single_threaded = 0;
unsigned __cpu_model[4];

size __strftime_l(char *text, size room, const char *format, const void *time, void *locale) {
  return strftime_l(text, room, format, time, locale);
}

unsigned arc4random(void) {
  unsigned value = 0;
  getrandom(&value, sizeof value, 0);
  return value;
}

int __cpu_indicator_init(void) { return 0; }

/* "Not found" makes the unwinder look for itself. */
int _dl_find_object(void *address, void *result) {
  (void)address;
  (void)result;
  return -1;
}

int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library) {
  (void)destructor;
  (void)object;
  (void)library;
  return 0;
}
