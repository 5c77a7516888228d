/** The choice of a form's field `notify`: null for what the account's settings say (notices, "Kinds"). */
export function readNotify(form: URLSearchParams): boolean | null {
  const choice = form.get("notify");
  return choice === "true" ? true : choice === "false" ? false : null;
}
