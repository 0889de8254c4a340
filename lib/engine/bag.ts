/** What can be in a bag: it knows its place there; -1 while it is in none. */
export interface Placed {
  place: number;
}

/**
 * Members in no order, put in and taken out all the time. Not a Set: its tables, outgrown one after the other, go on pointing each at the
 * next, so that the collector of young garbage takes all that ever was in them for alive.
 */
export class Bag<T extends Placed> implements Iterable<T> {
  private readonly members: T[] = [];

  add(member: T): void {
    member.place = this.members.length;
    this.members.push(member);
  }

  /** Does nothing to one that is not in it. */
  remove(member: T): void {
    if (member.place < 0) return;
    const last = this.members.pop();
    if (last && last !== member) {
      last.place = member.place;
      this.members[last.place] = last;
    }
    member.place = -1;
  }

  some(of: (member: T) => boolean): boolean {
    return this.members.some(of);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.members.values();
  }
}
