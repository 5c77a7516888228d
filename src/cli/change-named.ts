import { AppError, ERRORS } from "../errors.ts";
import { changeEach, type Refusal } from "../service/files/change-each.ts";
import { toId } from "./terminal/text.ts";

interface ChangedNamed<Changed> {
  readonly done: readonly Changed[];
  readonly refused: readonly Refusal[];
  /** The only one of a command about one file or share. */
  readonly only: Changed | undefined;
  /** A sentence for each that was refused. */
  readonly problems: readonly string[];
  /** The exit code of the first refusal. */
  readonly exitCode: number;
}

/** Changes what each ID or link names, by itself. Throws the refusal of a single one. */
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
