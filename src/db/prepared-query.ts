import type { Compilable, CompiledQuery } from "kysely";
import type { Db } from "./database.ts";
import { executeFirst, openKysely } from "./dialect.ts";

/** A query that is compiled once and runs with different parameters, on any database and in any transaction. */
export interface PreparedQuery<P, O> {
  all(db: Db, parameters: P): Promise<O[]>;
  first(db: Db, parameters: P): Promise<O | undefined>;
  /** Resolves to the number of rows that the query wrote. */
  run(db: Db, parameters: P): Promise<number>;
}

/**
 * Prepares a frequent query, for which building and compiling in Kysely costs more than running. `build` runs once, with a placeholder for each
 * parameter, and may only pass placeholders on as values: computing with a placeholder or testing it throws. So lists for `in`, and `is` with null,
 * do not work.
 */
export function preparedQuery<P extends object, O>(build: (db: Db, parameters: P) => Compilable<O>): PreparedQuery<P, O> {
  let compiled: CompiledQuery<O> | undefined;
  const fill = (parameters: P): CompiledQuery<O> => {
    compiled ??= build(compiler, placeholders<P>()).compile();
    const values = compiled.parameters.map((value) => (value instanceof Placeholder ? Reflect.get(parameters, value.member) : value));
    return { ...compiled, parameters: values };
  };
  return {
    all: async (db, parameters) => (await db.executeQuery(fill(parameters))).rows,
    first: async (db, parameters) => executeFirst(db, fill(parameters)),
    run: async (db, parameters) => Number((await db.executeQuery(fill(parameters))).numAffectedRows ?? 0),
  };
}

class Placeholder {
  constructor(readonly member: PropertyKey) {}

  [Symbol.toPrimitive](): never {
    throw new TypeError(`A prepared query may only pass its parameter ${String(this.member)} on, not compute with it`);
  }
}

function placeholders<P extends object>(): P {
  return new Proxy({} as P, { get: (_, member) => new Placeholder(member) });
}

const unreachable = () => Promise.reject(new Error("This database compiles queries and runs none"));
const compiler = openKysely({ execute: unreachable, begin: unreachable });
