import { z } from "zod";
import { described } from "./scalars.ts";

/** Beyond any list, and small enough that its product with a page number is exact. */
const MAX_VALUE = 1_000_000_000;

/** A whole number of at least 1, as a JSON number or as text of a query; clamped, not rejected, if it is huge. */
const atLeastOne = z
  .union(
    [
      z.int().min(1),
      z
        .string()
        .regex(/^[1-9]\d*$/)
        .transform(Number),
    ],
    "give a whole number of at least 1",
  )
  .transform((value) => Math.min(value, MAX_VALUE));

export const page = atLeastOne.optional().meta({ description: "Number of the page; default: 1, the first", examples: [1] });

/** A response with an unpaged list. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ success: z.literal(true), data: z.array(item) });

/** Items on a page; a larger number counts as the largest allowed (listing, "Pages"). */
export const limit = (description: string) => atLeastOne.optional().meta({ description, examples: [50] });

export const pagination = described(
  z.object({
    page: described(z.int(), "Number of this page, from 1", 1),
    limit: described(z.int(), "Most items on a page", 50),
    total: described(z.int(), "Number of items", 1),
    totalPages: described(z.int(), "Number of pages", 1),
  }),
  "Position of this page in the list",
);
export type Pagination = z.infer<typeof pagination>;
