import { DIRECT_UPLOAD } from "../../contract/scalars.ts";
import { AppError } from "../../errors.ts";

/** Creates the error for a file that is too large for a form in memory. */
export const tooLargeForDirect = (): AppError =>
  new AppError(
    "FILE_TOO_LARGE_FOR_DIRECT",
    "This route accepts files of up to 4 MB. Send larger ones in parts, starting with POST /files/multipart/init.",
    {
      fields: { maxBytes: DIRECT_UPLOAD.maxFileBytes, multipartInitPath: "/files/multipart/init" },
    },
  );
