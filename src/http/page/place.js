// Where the reader is: the pod, the view and the task that the address names after its `#`.

/** `#/pod/view/taskid` */
const pattern = /^#\/([A-Za-z0-9_-]{1,64})(?:\/(board|graph)(?:\/(\d{1,15}))?)?$/;

/** `pod` and `taskid` are null where the address names none. */
export function placeNow() {
  const [, pod = null, view = "board", taskid = null] = pattern.exec(location.hash) ?? [];
  return { pod, view, taskid: taskid === null ? null : Number(taskid) };
}

export function addressOf({ pod, view = "board", taskid = null }) {
  if (pod === null) return "#/";
  return `#/${pod}/${view}${taskid === null ? "" : `/${taskid}`}`;
}

export function goTo(place) {
  location.hash = addressOf(place);
}
