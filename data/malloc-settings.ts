/**
 * Settings of glibc's allocator for processes that now and then hold tens of megabytes: few arenas, and large
 * blocks go back to the system when they are freed, instead of staying for the process's life. Other systems
 * ignore them.
 */
export const mallocSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '16777216',
} as const;
