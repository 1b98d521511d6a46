/* SPDX-License-Identifier: 0BSD */
/* What programs themselves call if they know that they are compiled for a thread sanitizer, as the header
 * sanitizer/tsan_interface.h and the older annotations name it.  Nothing is to be done.
 *
 * blackout-cc hides from the preprocessor of gcc that it uses the sanitizer, but with clang `__has_feature` tells. */
/* The callers' arguments do no harm. */
#define NOTHING(NAME)                                               \
	void NAME(void);                                            \
	__attribute__((weak, visibility("hidden"))) void NAME(void) \
	{                                                           \
	}

NOTHING(__tsan_acquire)
NOTHING(__tsan_release)
NOTHING(__tsan_mutex_create)
NOTHING(__tsan_mutex_destroy)
NOTHING(__tsan_mutex_pre_lock)
NOTHING(__tsan_mutex_post_lock)
NOTHING(__tsan_mutex_post_unlock)
NOTHING(__tsan_mutex_pre_signal)
NOTHING(__tsan_mutex_post_signal)
NOTHING(__tsan_mutex_pre_divert)
NOTHING(__tsan_mutex_post_divert)
NOTHING(__tsan_destroy_fiber)
NOTHING(__tsan_switch_to_fiber)
NOTHING(__tsan_set_fiber_name)
NOTHING(AnnotateHappensBefore)
NOTHING(AnnotateHappensAfter)
NOTHING(AnnotateIgnoreReadsBegin)
NOTHING(AnnotateIgnoreReadsEnd)
NOTHING(AnnotateIgnoreWritesBegin)
NOTHING(AnnotateIgnoreWritesEnd)
NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateRWLockCreate)
NOTHING(AnnotateRWLockCreateStatic)
NOTHING(AnnotateRWLockDestroy)
NOTHING(AnnotateRWLockAcquired)
NOTHING(AnnotateRWLockReleased)
NOTHING(AnnotateBenignRace)
NOTHING(AnnotateBenignRaceSized)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotateThreadName)
NOTHING(WTFAnnotateHappensBefore)
NOTHING(WTFAnnotateHappensAfter)
NOTHING(WTFAnnotateBenignRaceSized)

/* These return something: how deep a mutex was locked, or a fiber, which is not NULL. */
#define RETURNS(RESULT, NAME, VALUE)                                  \
	RESULT NAME(void);                                            \
	__attribute__((weak, visibility("hidden"))) RESULT NAME(void) \
	{                                                             \
		return VALUE;                                         \
	}

static char fiber;

RETURNS(int, __tsan_mutex_pre_unlock, 0)
RETURNS(void *, __tsan_get_current_fiber, &fiber)
RETURNS(void *, __tsan_create_fiber, &fiber)
