/** There is no valid sign-in; the message says what to do and holds no secret. */
export class SignInFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
