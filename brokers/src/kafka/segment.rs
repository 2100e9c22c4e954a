//! How a log is kept: in segments, which go as a whole, from the oldest on.
//!
//! Source: `UnifiedLog.deleteOldSegments`, `LogSegment.shouldRoll` and `RemoteLogManager` of Apache Kafka 4.0; KIP-405.

use std::collections::VecDeque;

/// How a log is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// `segment.bytes`: a batch that would make the segment larger begins a new one.
    pub segment_bytes: u64,
    /// `segment.ms`: a batch so long after the segment's first one begins a new one.
    pub segment_us: u64,
    /// `retention.ms`; [`None`] is -1.
    pub retention_us: Option<u64>,
    /// `retention.bytes`; [`None`] is -1.
    pub retention_bytes: Option<u64>,
    /// `log.retention.check.interval.ms`.
    pub check_us: u64,
    /// `remote.storage.enable`.
    pub remote: Option<Remote>,
}

/// Tiered storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remote {
    /// `local.retention.ms`; [`None`] is -2: as long as `retention.ms`.
    pub local_retention_us: Option<u64>,
    /// `local.retention.bytes`; [`None`] is -2: as much as `retention.bytes`.
    pub local_retention_bytes: Option<u64>,
    /// `remote.log.manager.task.interval.ms`: how often closed segments are copied and old ones removed there.
    pub task_us: u64,
}

impl Default for Options {
    /// What Kafka 4.0 ships.
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_us: 604_800_000_000,
            retention_us: Some(604_800_000_000),
            retention_bytes: None,
            check_us: 300_000_000,
            remote: None,
        }
    }
}

impl Default for Remote {
    /// What Kafka 4.0 ships, once it is turned on.
    fn default() -> Self {
        Self { local_retention_us: None, local_retention_bytes: None, task_us: 30_000_000 }
    }
}

/// Where a record is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// The broker's disk.
    Local,
    /// Remote storage, which is slower.
    Remote,
    /// It is gone, or not there yet.
    Nowhere,
}

/// A stretch of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its first offset.
    pub base: u64,
    /// The offset after its last one.
    pub end: u64,
    /// Its size.
    pub bytes: u64,
    /// When its first record was written.
    pub first_us: u64,
    /// When its last record was written: what retention goes by.
    pub last_us: u64,
    /// Whether the broker's disk has it.
    pub local: bool,
    /// Whether remote storage has it.
    pub remote: bool,
}

impl Segment {
    fn empty(base: u64, now_us: u64) -> Self {
        Self { base, end: base, bytes: 0, first_us: now_us, last_us: now_us, local: true, remote: false }
    }

    fn is_empty(&self) -> bool {
        self.base == self.end
    }
}

/// The segments of one log.
#[derive(Clone, Debug)]
pub struct Segments {
    options: Options,
    started_us: u64,
    /// Up to when everything due was done.
    done_us: u64,
    /// Oldest first; the last one is active.
    segments: VecDeque<Segment>,
}

impl Segments {
    /// An empty log.
    #[must_use]
    pub fn new(now_us: u64, options: Options) -> Self {
        let segments = VecDeque::from([Segment::empty(0, now_us)]);
        Self { options, started_us: now_us, done_us: now_us, segments }
    }

    /// It is kept otherwise from now on; segments that are closed stay as they are.
    pub fn tune(&mut self, options: Options) {
        self.options = options;
    }

    /// What all of it takes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.bytes).fold(0, u64::saturating_add)
    }

    /// Lets the copier and retention look now, whenever they would have looked by themselves.
    pub fn look(&mut self, now_us: u64, high_watermark: u64) {
        if self.options.remote.is_some() {
            self.copy_and_expire(now_us, high_watermark);
        }
        self.retain(now_us, high_watermark);
        self.done_us = self.done_us.max(now_us);
    }

    /// A batch is written. Only this begins new segments: a log nobody writes to keeps its active one.
    pub fn append(&mut self, now_us: u64, records: u64, bytes: u64) {
        self.done_us = self.done_us.max(now_us);
        let active = self.active();
        let full = active.bytes.saturating_add(bytes) > self.options.segment_bytes;
        let old = now_us.saturating_sub(active.first_us) > self.options.segment_us;
        if !active.is_empty() && (full || old) {
            self.roll(now_us);
        }
        let active = self.active_mut();
        if active.is_empty() {
            active.first_us = now_us;
        }
        active.end = active.end.saturating_add(records);
        active.bytes = active.bytes.saturating_add(bytes);
        active.last_us = active.last_us.max(now_us);
    }

    /// The first offset that can be read.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.segments.front().map_or(0, |segment| segment.base)
    }

    /// The first offset on the broker's disk.
    #[must_use]
    pub fn local_start(&self) -> u64 {
        self.segments.iter().find(|segment| segment.local).map_or_else(|| self.end(), |segment| segment.base)
    }

    /// The offset that the next record gets.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.active().end
    }

    /// The active segment's first offset.
    #[must_use]
    pub fn active_base(&self) -> u64 {
        self.active().base
    }

    /// Up to where compaction may go: not into the active segment, and not into a closed one whose newest record is younger than
    /// `min.compaction.lag.ms` (`LogCleanerManager.cleanableOffsets`).
    #[must_use]
    pub fn cleanable(&self, now_us: u64, min_lag_us: u64) -> u64 {
        let closed = self.segments.iter().take(self.segments.len() - 1);
        let mut young = closed.filter(|segment| now_us.saturating_sub(segment.last_us) < min_lag_us);
        young.next().map_or_else(|| self.active_base(), |segment| segment.base)
    }

    /// All of them, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Segment> {
        self.segments.iter()
    }

    /// Where a record is read from.
    #[must_use]
    pub fn tier(&self, offset: u64) -> Tier {
        match self.segments.iter().find(|segment| segment.base <= offset && offset < segment.end) {
            Some(segment) if segment.local => Tier::Local,
            Some(_) => Tier::Remote,
            None => Tier::Nowhere,
        }
    }

    /// Compaction removed a record of this size.
    pub fn removed(&mut self, offset: u64, bytes: u64) {
        let segment = self.segments.iter_mut().find(|segment| segment.base <= offset && offset < segment.end);
        if let Some(segment) = segment {
            segment.bytes = segment.bytes.saturating_sub(bytes);
        }
    }

    /// The log was cut at this offset. A segment that loses a part keeps that part of its size.
    pub fn truncate(&mut self, end: u64) {
        while self.segments.len() > 1 && self.active().base >= end {
            self.segments.pop_back();
        }
        let active = self.active_mut();
        if active.end > end && end >= active.base {
            let (all, left) = (u128::from(active.end - active.base), u128::from(end - active.base));
            active.bytes = u64::try_from(u128::from(active.bytes) * left / all).unwrap_or(u64::MAX);
            active.end = end;
        }
    }

    /// The next look of retention, or of the copier, that may find something to do.
    #[must_use]
    pub fn next_due_us(&self) -> Option<u64> {
        let check_us = self.next_retention_us().map(|from_us| self.tick(from_us, self.options.check_us));
        let task_us = self.options.remote.and_then(|remote| Some(self.tick(self.next_task_us()?, remote.task_us)));
        [check_us, task_us].into_iter().flatten().filter(|due_us| *due_us < u64::MAX).min()
    }

    /// Lets retention and the copier look, up to now. Nothing at or beyond the high watermark goes.
    pub fn advance(&mut self, now_us: u64, high_watermark: u64) {
        while let Some(due_us) = self.next_due_us().filter(|due_us| *due_us <= now_us) {
            self.done_us = due_us;
            let since_us = due_us.saturating_sub(self.started_us);
            if let Some(remote) = self.options.remote
                && since_us.is_multiple_of(remote.task_us.max(1))
            {
                self.copy_and_expire(due_us, high_watermark);
            }
            if since_us.is_multiple_of(self.options.check_us.max(1)) {
                self.retain(due_us, high_watermark);
            }
        }
        self.done_us = self.done_us.max(now_us);
    }

    /// What the broker's disk keeps: local retention where there is remote storage.
    fn kept(&self) -> (Option<u64>, Option<u64>) {
        match self.options.remote {
            None => (self.options.retention_us, self.options.retention_bytes),
            Some(remote) => (
                remote.local_retention_us.or(self.options.retention_us),
                remote.local_retention_bytes.or(self.options.retention_bytes),
            ),
        }
    }

    fn next_retention_us(&self) -> Option<u64> {
        let (keep_us, keep_bytes) = self.kept();
        let oldest = self.segments.iter().find(|segment| segment.local && !segment.is_empty())?;
        let by_time = keep_us.map(|keep_us| oldest.last_us.saturating_add(keep_us).saturating_add(1));
        let by_size = keep_bytes.filter(|keep| self.local_bytes() >= keep.saturating_add(oldest.bytes)).map(|_| self.done_us);
        [by_time, by_size].into_iter().flatten().min()
    }

    fn next_task_us(&self) -> Option<u64> {
        let closed = self.segments.len() - 1;
        let copy = self.segments.iter().take(closed).any(|segment| !segment.remote).then_some(self.done_us);
        let oldest = self.segments.front().filter(|segment| segment.remote);
        let by_time = oldest.and_then(|oldest| Some(oldest.last_us.saturating_add(self.options.retention_us?).saturating_add(1)));
        let by_size = oldest.filter(|oldest| self.is_over_size(oldest)).map(|_| self.done_us);
        [copy, by_time, by_size].into_iter().flatten().min()
    }

    /// Whether the whole log stays large enough without its oldest segment.
    fn is_over_size(&self, oldest: &Segment) -> bool {
        self.options.retention_bytes.is_some_and(|keep| self.bytes() >= keep.saturating_add(oldest.bytes))
    }

    fn local_bytes(&self) -> u64 {
        self.segments.iter().filter(|segment| segment.local).map(|segment| segment.bytes).fold(0, u64::saturating_add)
    }

    /// Removes what the broker's disk need not keep, oldest first, and stops at the first segment that stays. If everything
    /// goes, a new active segment comes first.
    fn retain(&mut self, now_us: u64, high_watermark: u64) {
        let (keep_us, keep_bytes) = self.kept();
        let mut over = keep_bytes.map(|keep| self.local_bytes().saturating_sub(keep));
        let mut gone = 0;
        for segment in self.segments.iter().filter(|segment| segment.local) {
            let old = keep_us.is_some_and(|keep_us| now_us.saturating_sub(segment.last_us) > keep_us);
            let large = over.is_some_and(|over| over >= segment.bytes && over > 0);
            if segment.is_empty() || segment.end > high_watermark || !(old || large) {
                break;
            }
            over = over.map(|over| over.saturating_sub(segment.bytes));
            gone += 1;
        }
        let local = self.segments.iter().filter(|segment| segment.local).count();
        if gone > 0 && gone == local {
            self.roll(now_us);
        }
        if self.options.remote.is_none() {
            self.segments.drain(..gone);
            return;
        }
        // Only what remote storage has may leave the disk; a segment that was just closed is copied first.
        let locals = self.segments.iter_mut().filter(|segment| segment.local).take(gone);
        for segment in locals.take_while(|segment| segment.remote) {
            segment.local = false;
        }
    }

    /// Copies closed segments to remote storage and removes what is older, or more, than the whole log may keep.
    fn copy_and_expire(&mut self, now_us: u64, high_watermark: u64) {
        let closed = self.segments.len() - 1;
        for segment in self.segments.iter_mut().take(closed).filter(|segment| segment.end <= high_watermark) {
            segment.remote = true;
        }
        while let Some(oldest) = self.segments.front().filter(|oldest| oldest.remote) {
            let old = self.options.retention_us.is_some_and(|keep_us| now_us.saturating_sub(oldest.last_us) > keep_us);
            if !old && !self.is_over_size(oldest) {
                break;
            }
            self.segments.pop_front();
        }
    }

    /// The first tick that is not before a moment, and was not done yet.
    fn tick(&self, from_us: u64, every_us: u64) -> u64 {
        let every_us = every_us.max(1);
        let since_us = from_us.max(self.done_us.saturating_add(1)).saturating_sub(self.started_us);
        self.started_us.saturating_add(since_us.div_ceil(every_us).saturating_mul(every_us))
    }

    fn roll(&mut self, now_us: u64) {
        self.segments.push_back(Segment::empty(self.end(), now_us));
    }

    fn active(&self) -> &Segment {
        // There is always one: it is only removed after another was added.
        &self.segments[self.segments.len() - 1]
    }

    fn active_mut(&mut self) -> &mut Segment {
        let last = self.segments.len() - 1;
        &mut self.segments[last]
    }
}
