import type { AppError } from "../../errors.ts";
import type { Environment } from "../memory/private-files.ts";
import type { Decryption } from "./decryption.ts";
import type { FetchedFile } from "./fetch-file.ts";
import type { DownloadTarget } from "./target.ts";
import type { UnlockAccess } from "./unlock.ts";

export interface DownRequest {
  readonly target: DownloadTarget;
  /** Names or patterns of files of a shipment; none for all. */
  readonly files: readonly string[];
  /** Where a file or a shipment's folder is saved: a path, or an existing folder for a file. */
  readonly output: string | undefined;
  /** The folder in which it is saved without `output`, and from which a relative `output` begins. */
  readonly folder: string | undefined;
  readonly overwrite: boolean;
  /** Whether the files of a share are saved as one ZIP. */
  readonly isZip: boolean;
  /** Whether saved files get the times of change and executable bits that were sent. */
  readonly keepsTimes: boolean;
  /** Whether to wait for the malware check. */
  readonly isWaiting: boolean;
}

/** What a person or program is told meanwhile. */
export interface DownEvents {
  /** The reason of a wait, or an empty text when it ends. */
  onWait(reason: string): void;
  onNote(text: string): void;
  onTotal(name: string, total: { readonly files: number; readonly bytes: number }): void;
  onProgress(done: { readonly files: number; readonly bytes: number }): void;
  onSaved(file: FetchedFile): void;
}

export interface DownResult {
  /** Path of the file, or of the shipment's folder; null for standard output. */
  readonly path: string | null;
  readonly files: number;
  readonly bytes: number;
  /** Files that were not saved; the code is that of the command. */
  readonly refused: readonly { readonly name: string; readonly error: AppError }[];
}

export interface DownContext {
  /** Opens what decrypts encrypted files. Asks for a key if there is none and `isEncrypted`. */
  openDecryption(isEncrypted: boolean): Promise<Decryption>;
  readonly access: UnlockAccess;
  readonly events: DownEvents;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Standard output: resolves when the bytes are written. */
  output(bytes: Uint8Array): Promise<void>;
}

/** A download whose keys are known. */
export type DecryptingContext = DownContext & { readonly decryption: Decryption };
