import { AppError, ERRORS } from "../errors.ts";
import { changeEach, type Refusal } from "../service/files/change-each.ts";
import { toId } from "./terminal/text.ts";

interface ChangedNamed<Changed> {
  readonly done: readonly Changed[];
  readonly refused: readonly Refusal[];
  /** The changed item of a command about one file or share. */
  readonly only: Changed | undefined;
  /** Sentences about the refused items, one for each. */
  readonly problems: readonly string[];
  /** The exit code of the first refusal. */
  readonly exitCode: number;
}

/** Changes each item that an ID or link names, in its own request. Throws the refusal if there is only one item. */
export async function changeNamed<Changed>(
  names: readonly string[],
  change: (id: string) => Promise<Changed>,
): Promise<ChangedNamed<Changed>> {
  const { done, refused } = await changeEach(names.map(toId), change);
  const isSingle = done.length + refused.length === 1;
  const [first] = refused;
  if (isSingle && first) throw new AppError(first.errorCode, first.error);
  return {
    done,
    refused,
    only: isSingle ? done[0] : undefined,
    problems: refused.map(({ id, error }) => `${id}: ${error}`),
    exitCode: first === undefined ? 0 : ERRORS[first.errorCode].exit,
  };
}
