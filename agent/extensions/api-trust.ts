/** Comes before anything of a project runs that it takes trust for, unless the command line decides. */
export interface ProjectTrustEvent {
  type: "project_trust";
  /** The project. */
  cwd: string;
}

/** The context of `project_trust` handlers. There is no host yet, so dialogs get no answer and nothing is shown. */
export interface ProjectTrustContext {
  readonly cwd: string;
  readonly mode: "rpc";
  readonly hasUI: false;
  readonly ui: {
    select(...question: unknown[]): Promise<undefined>;
    confirm(...question: unknown[]): Promise<false>;
    input(...question: unknown[]): Promise<undefined>;
    notify(...message: unknown[]): void;
  };
}
