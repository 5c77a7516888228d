import { z } from "zod";

/**
 * The URL of a page or of bytes. Callers open it in a browser and print it, so it has no other scheme, which would start other programs, and no characters
 * that control a terminal.
 */
export const webUrl = z
  .url({ protocol: /^https?$/, error: "must be a URL of http or https" })
  .refine((url) => !/[\p{C}\p{Z}]/u.test(url), "must be a URL without spaces and control characters");
