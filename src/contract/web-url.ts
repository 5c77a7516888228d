import { z } from "zod";

/**
 * The URL of a page or of bytes. Callers open it in a browser and print it, so its scheme is HTTP or HTTPS, which starts no other program, and it has
 * no characters that control a terminal.
 */
export const webUrl = z
  .url({ protocol: /^https?$/, error: "must be a URL of http or https" })
  .refine((url) => !/[\p{C}\p{Z}]/u.test(url), "must be a URL without spaces and control characters");
