/** A request that the provider would refuse: its status and its JSON error body. */
export class ModelRefusal extends Error {
  override readonly name = "ModelRefusal";

  constructor(
    readonly status: number,
    message: string,
    readonly body: unknown,
  ) {
    super(message);
  }
}
