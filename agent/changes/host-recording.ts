/** Says who records what calls change. */
export interface HostRecording {
  /** True while the host does it. */
  isOn: boolean;
}
