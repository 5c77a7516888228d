import type { Compilable, CompiledQuery } from "kysely";
import type { Db } from "./database.ts";
import { executeFirst, openKysely } from "./dialect.ts";

/** A query that is built and compiled once and then runs with other parameters, on any database and inside any transaction. */
export interface KeptQuery<P, O> {
  all(db: Db, parameters: P): Promise<O[]>;
  first(db: Db, parameters: P): Promise<O | undefined>;
}

/**
 * Keeps a query of a hot path, where Kysely's building and compiling costs more than the look-up itself.
 * `build` runs once, with a placeholder for each member of its parameters: it may pass them on as values, and throws where it computes
 * with one, or tests it. So lists for `in`, and `is` with a null, do not fit.
 */
export function keptQuery<P extends object, O>(build: (db: Db, parameters: P) => Compilable<O>): KeptQuery<P, O> {
  let kept: CompiledQuery<O> | undefined;
  const fill = (parameters: P): CompiledQuery<O> => {
    kept ??= build(compiler, placeholders<P>()).compile();
    const values = kept.parameters.map((value) => (value instanceof Placeholder ? Reflect.get(parameters, value.member) : value));
    return { ...kept, parameters: values };
  };
  return {
    all: async (db, parameters) => (await db.executeQuery(fill(parameters))).rows,
    first: async (db, parameters) => executeFirst(db, fill(parameters)),
  };
}

class Placeholder {
  constructor(readonly member: PropertyKey) {}

  [Symbol.toPrimitive](): never {
    throw new TypeError(`A kept query may only pass its parameter ${String(this.member)} on, not compute with it`);
  }
}

function placeholders<P extends object>(): P {
  return new Proxy({} as P, { get: (_, member) => new Placeholder(member) });
}

const unreachable = () => Promise.reject(new Error("This database compiles queries and runs none"));
const compiler = openKysely({ execute: unreachable, begin: unreachable });
