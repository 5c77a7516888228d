import { z } from "zod";

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

export const page = atLeastOne.optional().meta({ description: "1 is the first, and the default" });

/** An answer that is a whole list. */
export const listOf = <Item extends z.ZodType>(item: Item) => z.object({ success: z.literal(true), data: z.array(item) });

/** How many at once: past the most it counts as the most (decisions, "Listing"). */
export const limit = (description: string) => atLeastOne.optional().meta({ description });

export const pagination = z.object({ page: z.int(), limit: z.int(), total: z.int(), totalPages: z.int() });
export type Pagination = z.infer<typeof pagination>;
