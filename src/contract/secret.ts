import { z } from "zod";

const marks = z.registry<{ readonly isSecret: true }>();

/**
 * Marks a field of a response as a secret that gives rights to its reader, such as a URL with a token or signature. A repeated response contains it
 * only for the credential that made it (idempotency, "Secrets of a repeated response").
 */
export function secret<T extends z.ZodType>(schema: T): T {
  const marked = schema.clone(undefined, { parent: true });
  marks.add(marked, { isSecret: true });
  return marked;
}

/** Whether a field is marked by `secret`, also within an optional or nullable field. */
export function isSecret(schema: z.core.$ZodType): boolean {
  if (marks.get(schema) !== undefined) return true;
  const inner = innerOf(schema);
  return inner !== undefined && isSecret(inner);
}

/** Removes the secrets from a value of a schema, and returns whether it had any. */
export function withoutSecrets(schema: z.core.$ZodType, value: unknown): { readonly value: unknown; readonly isWithheld: boolean } {
  let isWithheld = false;
  const strip = (schema: z.core.$ZodType, value: unknown): unknown => {
    const inner = innerOf(schema);
    if (inner !== undefined) return strip(inner, value);
    if (typeof value !== "object" || value === null) return value;
    if (schema instanceof z.ZodUnion) return schema.options.reduce<unknown>((stripped, option) => strip(option, stripped), value);
    if (schema instanceof z.ZodArray) return Array.isArray(value) ? value.map((item) => strip(schema.element, item)) : value;
    if (!(schema instanceof z.ZodObject)) return value;
    const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
    const members = Object.entries(value).flatMap(([name, member]) => {
      const field = shape[name];
      if (field === undefined) return [[name, member]];
      if (!isSecret(field)) return [[name, strip(field, member)]];
      if (member != null) isWithheld = true;
      return [];
    });
    return Object.fromEntries(members);
  };
  return { value: strip(schema, value), isWithheld };
}

/** Returns the schema that a wrapper makes optional, nullable or converts; undefined for other schemas. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.out;
  if (schema instanceof z.ZodLazy) return schema.unwrap();
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodReadonly) return schema.unwrap();
  return schema instanceof z.ZodDefault ? schema.def.innerType : undefined;
}
