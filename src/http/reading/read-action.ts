import { AppError } from "../../errors.ts";

/** Returns which of a page's actions a form requests. Throws VALIDATION_FAILED for any other, so that an unknown action changes nothing. */
export function readAction<const Action extends string>(form: URLSearchParams, actions: readonly Action[]): Action {
  const action = actions.find((name) => name === form.get("action"));
  if (action === undefined)
    throw new AppError("VALIDATION_FAILED", "The page does not know this action. Reload the page, and send its form again.");
  return action;
}
