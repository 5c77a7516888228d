/** Offsets and lengths of uncached writes (O_DIRECT) are multiples of this. No disk in use has larger blocks. */
export const BLOCK_BYTES = 4096;

/** Whether an offset or a length suits an uncached write. */
export const isAligned = (bytes: number): boolean => bytes % BLOCK_BYTES === 0;
