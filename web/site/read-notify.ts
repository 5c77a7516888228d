/** Reads the choice of a form's field `notify`; null for the account's settings (notices, "Kinds"). */
export function readNotify(form: URLSearchParams): boolean | null {
  const choice = form.get("notify");
  return choice === "true" ? true : choice === "false" ? false : null;
}
