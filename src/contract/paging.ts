import { z } from "zod";
import { described } from "./scalars.ts";

/** Far beyond any list, and still a number that can be computed with. */
const MOST = 1_000_000_000;

/** A whole number of at least 1, however large, as JSON or as digits of a query. */
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
  .transform((value) => Math.min(value, MOST));

export const page = atLeastOne.optional().meta({ description: "Which page: 1 is the first, and the default", examples: [1] });

/** An answer that is a whole list. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ success: z.literal(true), data: z.array(item) });

/** How many at once: past the most it counts as the most (decisions, "Listing"). */
export const limit = (description: string) => atLeastOne.optional().meta({ description, examples: [50] });

export const pagination = described(
  z.object({
    page: described(z.int(), "Which page this is, from 1 on", 1),
    limit: described(z.int(), "How many a page has at most", 50),
    total: described(z.int(), "How many there are in all", 1),
    totalPages: described(z.int(), "How many pages that makes", 1),
  }),
  "Where this page is in the whole list",
);
export type Pagination = z.infer<typeof pagination>;
