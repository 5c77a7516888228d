import type { AppError } from "../../errors.ts";
import type { Advice } from "../client-error.ts";
import type { Environment } from "../records/private-files.ts";
import type { Decryption } from "./decryption.ts";
import type { FetchedFile } from "./fetch-file.ts";
import type { DownloadTarget } from "./target.ts";
import type { UnlockAccess } from "./unlock.ts";

export interface DownRequest {
  readonly target: DownloadTarget;
  /** Names or patterns of files of a shipment; none for all. */
  readonly files: readonly string[];
  /** The path of the file or of the shipment's folder, or an existing folder for a file. */
  readonly output: string | undefined;
  /** The folder in which files are saved without `output`, and to which a relative `output` refers. */
  readonly folder: string | undefined;
  readonly overwrite: boolean;
  /** Whether the files of a share are saved as one ZIP. */
  readonly isZip: boolean;
  /** Whether saved files get the times of change and executable bits that were sent. */
  readonly keepsTimes: boolean;
  /** Whether to wait until the files are scanned. */
  readonly waitsForScan: boolean;
}

/** Events of a download that are shown to a person or a program. */
export interface DownEvents {
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait(reason: string): void;
  onNote(text: string, advice?: Advice): void;
  onTotal(name: string, total: { readonly files: number; readonly bytes: number }): void;
  onProgress(done: { readonly files: number; readonly bytes: number }): void;
  onSaved(file: FetchedFile): void;
}

export interface DownResult {
  /** Path of the file, or of the shipment's folder; null for standard output. */
  readonly path: string | null;
  readonly files: number;
  readonly bytes: number;
  /** Files that were not saved. The code of the error is the exit code of the command. */
  readonly refused: readonly { readonly name: string; readonly error: AppError }[];
}

export interface DownContext {
  /** Opens the decryption of encrypted files. Asks for a key if there is none and `isEncrypted`. */
  openDecryption(isEncrypted: boolean): Promise<Decryption>;
  readonly access: UnlockAccess;
  readonly events: DownEvents;
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** Writes to standard output; resolves when the bytes are written. */
  output(bytes: Uint8Array): Promise<void>;
}

/** A download whose keys are known. */
export type DecryptingContext = DownContext & { readonly decryption: Decryption };
