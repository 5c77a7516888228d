import { type CleanedWhere, type CustomAdapter, createAdapterFactory } from "better-auth/adapters";
import type { BetterAuthOptions, DBAdapter, Where } from "better-auth/types";
import { CamelCasePlugin, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from "kysely";
import type { Db } from "../../db/database.ts";
import { hashToken } from "../../lib/secrets.ts";

/** better-auth names tables and columns at run time. */
type Tables = Record<string, Record<string, unknown>>;

/**
 * How better-auth reads and writes filehost's tables: columns in snake case, times in milliseconds since 1970, and the tokens of sessions as
 * hashes. `db` is asked before each statement.
 */
export function authDatabase(db: () => Db): (options: BetterAuthOptions) => DBAdapter<BetterAuthOptions> {
  const open = createAdapterFactory({
    config: {
      adapterId: "filehost",
      supportsBooleans: false,
      transaction: false,
      customTransformInput: ({ data }) => (data instanceof Date ? data.getTime() : data),
      customTransformOutput: ({ data, fieldAttributes }) =>
        fieldAttributes.type === "date" && typeof data === "number" ? new Date(data) : data,
    },
    adapter: () => statements(() => db().withPlugin(new CamelCasePlugin()) as unknown as Kysely<Tables>),
  });
  return (options) => withHashedTokens(open(options));
}

function statements(db: () => Kysely<Tables>): CustomAdapter {
  return {
    async create({ model, data }) {
      return (await db().insertInto(model).values(data).returningAll().executeTakeFirstOrThrow()) as typeof data;
    },
    async findOne({ model, where }) {
      return orNull(await db().selectFrom(model).selectAll().where(matching(where)).executeTakeFirst());
    },
    async findMany<T>({ model, where, limit, offset = 0, sortBy }: Parameters<CustomAdapter["findMany"]>[0]) {
      const query = db().selectFrom(model).selectAll().where(matching(where)).limit(limit).offset(offset);
      return (await (sortBy ? query.orderBy(sortBy.field, sortBy.direction) : query).execute()) as T[];
    },
    async count({ model, where }) {
      const counted = await db()
        .selectFrom(model)
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where(matching(where))
        .executeTakeFirst();
      return counted?.count ?? 0;
    },
    async update({ model, where, update }) {
      return orNull(
        await db()
          .updateTable(model)
          .set(update as object)
          .where(matching(where))
          .returningAll()
          .executeTakeFirst(),
      );
    },
    async updateMany({ model, where, update }) {
      return Number((await db().updateTable(model).set(update).where(matching(where)).executeTakeFirst()).numUpdatedRows);
    },
    async delete({ model, where }) {
      await db().deleteFrom(model).where(matching(where)).execute();
    },
    async deleteMany({ model, where }) {
      return Number((await db().deleteFrom(model).where(matching(where)).executeTakeFirst()).numDeletedRows);
    },
    async consumeOne({ model, where }) {
      const first = db().selectFrom(model).select("id").where(matching(where)).limit(1);
      return orNull(await db().deleteFrom(model).where("id", "in", first).returningAll().executeTakeFirst());
    },
  };
}

const orNull = <T>(row: unknown): T | null => (row ?? null) as T | null;

const OPERATORS = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=", in: "in", not_in: "not in" } as const;

/** The conditions joined by AND, and any of those joined by OR. */
const matching =
  (where: readonly CleanedWhere[] = []) =>
  (builder: ExpressionBuilder<Tables, string>): Expression<SqlBool> => {
    const conditionsOf = (connector: "AND" | "OR"): Expression<SqlBool>[] =>
      where.filter((one) => one.connector === connector).map((one) => toCondition(builder, one));
    const alternatives = conditionsOf("OR");
    return builder.and([...conditionsOf("AND"), ...(alternatives.length > 0 ? [builder.or(alternatives)] : [])]);
  };

function toCondition(builder: ExpressionBuilder<Tables, string>, { field, operator, value }: CleanedWhere): Expression<SqlBool> {
  if (value === null) return builder(field, operator === "ne" ? "is not" : "is", null);
  if (!(operator in OPERATORS)) throw new Error(`better-auth used the operator ${operator}, which filehost does not support.`);
  return builder(field, OPERATORS[operator as keyof typeof OPERATORS], value);
}

/** Stores and finds sessions by the hash of their token; what better-auth gets back has the token that it sent. */
function withHashedTokens(adapter: DBAdapter<BetterAuthOptions>): DBAdapter<BetterAuthOptions> {
  const isToken = (model: string, { field }: Where): boolean => model === "session" && field === "token";
  const hashed = <T extends { model: string; where?: Where[] | undefined }>(query: T): T => ({
    ...query,
    where: query.where?.map((one) => (isToken(query.model, one) ? { ...one, value: hashToken(String(one.value)) } : one)),
  });
  const sentToken = ({ model, where }: { model: string; where: Where[] }): { token?: string } => {
    const condition = where.find((one) => isToken(model, one));
    return condition === undefined ? {} : { token: String(condition.value) };
  };
  const restored = <T>(row: T | null, query: { model: string; where: Where[] }): T | null => row && { ...row, ...sentToken(query) };
  const withHashes: DBAdapter<BetterAuthOptions> = {
    ...adapter,
    transaction: (work) => work(withHashes),
    create: async <T extends Record<string, unknown>, R = T>(query: Parameters<typeof adapter.create<T, R>>[0]): Promise<R> => {
      const { token } = query.data;
      if (query.model !== "session" || typeof token !== "string") return await adapter.create<T, R>(query);
      return { ...(await adapter.create<T, R>({ ...query, data: { ...query.data, token: hashToken(token) } })), token };
    },
    findOne: async <T>(query: Parameters<typeof adapter.findOne>[0]) => restored(await adapter.findOne<T>(hashed(query)), query),
    findMany: async <T>(query: Parameters<typeof adapter.findMany>[0]) => await adapter.findMany<T>(hashed(query)),
    count: (query) => adapter.count(hashed(query)),
    update: async <T>(query: Parameters<typeof adapter.update>[0]) => restored(await adapter.update<T>(hashed(query)), query),
    updateMany: (query) => adapter.updateMany(hashed(query)),
    delete: (query) => adapter.delete(hashed(query)),
    deleteMany: (query) => adapter.deleteMany(hashed(query)),
    consumeOne: async <T>(query: Parameters<typeof adapter.consumeOne>[0]) => restored(await adapter.consumeOne<T>(hashed(query)), query),
  };
  return withHashes;
}
