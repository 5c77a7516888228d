/**
 * The advice with which a model downloads a URL. The model chooses the file name, because a sender's name, such as `.bashrc`, would be created in the
 * current folder.
 */
export const CURL_ADVICE =
  "Download the bytes with curl -fL -o NAME and `url` in single quotes. Choose NAME yourself: never use -OJ or -J, with which the sender chooses it.";
