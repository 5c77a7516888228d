import { isConsequential } from "../../contract/consequential-fields.ts";
import { invalidField } from "../../errors.ts";

/**
 * Adds a field of a query or form. Throws VALIDATION_FAILED for two different values if one of them would change money, rights or lifetime; otherwise
 * the last value applies (envelopes and errors, "Requests").
 */
export function setField<Value>(fields: Record<string, Value>, name: string, value: Value): void {
  const former = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (former !== undefined && former !== value && isConsequential(name))
    throw invalidField(name, "It was sent several times with different values. Send it once.");
  fields[name] = value;
}
