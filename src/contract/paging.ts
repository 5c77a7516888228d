import { z } from "zod";
import { described } from "./scalars.ts";

/** The largest number, beyond any list, whose product with a page number is exact. */
const MAX_VALUE = 1_000_000_000;

/** A whole number of at least 1, as a JSON number or as text of a query. A huge number is reduced, not rejected. */
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

/** Makes the schema of a response with an unpaged list. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ success: z.literal(true), data: z.array(item) });

/** Makes the field for the number of items on a page. A larger number counts as the largest allowed one (listing, "Pages"). */
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
