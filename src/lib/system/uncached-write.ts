/** The unit of offsets and lengths of uncached writes (O_DIRECT). No disk in use has larger blocks. */
export const BLOCK_BYTES = 4096;

/** Returns whether an offset or a length suits an uncached write. */
export const isAligned = (bytes: number): boolean => bytes % BLOCK_BYTES === 0;
