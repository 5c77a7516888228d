/** The blocks of a tar archive. */
export const BLOCK = 512;
/** The size of the padded records, which hides the length of the name. It suffices for a path of 1,024 characters. */
export const RECORDS_BYTES = 9 * BLOCK;
export const BEFORE_BYTES = BLOCK + RECORDS_BYTES + BLOCK;

/** Returns the bytes that fill the last block of a file. */
export const padding = (sizeBytes: number): number => (BLOCK - (sizeBytes % BLOCK)) % BLOCK;

/** Returns the size of a file that is wrapped with its name, in bytes. */
export const wrappedSize = (sizeBytes: number): number => BEFORE_BYTES + sizeBytes + padding(sizeBytes) + 2 * BLOCK;
