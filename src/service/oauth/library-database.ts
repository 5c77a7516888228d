import { type CleanedWhere, type CustomAdapter, createAdapterFactory } from "better-auth/adapters";
import { CamelCasePlugin, type Expression, type ExpressionBuilder, type Kysely, type SqlBool } from "kysely";
import type { Db } from "../../db/database.ts";
import { hashToken, type Keyring } from "../../lib/secrets/secrets.ts";

/** The tables with names that better-auth chooses at run time. */
type Tables = Record<string, Record<string, unknown>>;

interface LibraryDatabase {
  /** Returns the database for the next statement. */
  readonly db: () => Db;
  readonly keyring: Keyring;
  /** The resources that tokens are for. They are constant, so they need no table. */
  readonly resources: readonly string[];
}

/**
 * Creates the adapter through which better-auth uses filehost's tables: columns in snake case, times in milliseconds since 1970, and session tokens
 * and device codes as hashes.
 */
export const libraryDatabase = ({ db, keyring, resources }: LibraryDatabase) =>
  createAdapterFactory({
    config: {
      adapterId: "filehost",
      supportsBooleans: false,
      transaction: false,
      customTransformInput: ({ model, field, data }) => toStored(keyring, `${model}.${field}`, data),
      customTransformOutput: ({ data, fieldAttributes }) =>
        fieldAttributes.type === "date" && typeof data === "number" ? new Date(data) : data,
    },
    adapter: () => statements(() => db().withPlugin(new CamelCasePlugin()) as unknown as Kysely<Tables>, resources),
  });

function toStored(keyring: Keyring, column: string, value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (typeof value !== "string") return value;
  if (column === "sessions.token") return hashToken(value);
  return column === "deviceCodes.deviceCode" || column === "deviceCodes.userCode" ? toStoredCode(keyring, value) : value;
}

/** Returns the stored form of a device's code. The hash is keyed, because a person's code is short. */
export const toStoredCode = (keyring: Keyring, code: string): string => keyring.sign(`device:${code}`);

function statements(db: () => Kysely<Tables>, resources: readonly string[]): CustomAdapter {
  return {
    async create({ model, data }) {
      return (await db().insertInto(model).values(data).returningAll().executeTakeFirstOrThrow()) as typeof data;
    },
    async findOne({ model, where }) {
      if (model === "oauthResource") return findResource(resources, where) as never;
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

function findResource(resources: readonly string[], where: readonly CleanedWhere[]): object | null {
  const identifier = resources.find((one) => where.some(({ value }) => value === one));
  return identifier === undefined ? null : { id: identifier, identifier, name: identifier };
}

const orNull = <T>(row: unknown): T | null => (row ?? null) as T | null;

const OPERATORS = { eq: "=", ne: "!=", lt: "<", lte: "<=", gt: ">", gte: ">=", in: "in", not_in: "not in" } as const;

/** Returns the condition: all conditions joined by AND, and any of those joined by OR. */
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
