"""Course portal: catalog and seats, enrollment rules, assignments, transcript, office hours."""

import random
from typing import Annotated, Literal

from pydantic import Field

from sandboxes.core.annotations import Identifier, Label
from sandboxes.core.clock import Clock, Day, Moment, add_days, add_minutes
from sandboxes.core.environment import Environment
from sandboxes.core.errors import ToolError
from sandboxes.core.state import State
from sandboxes.core.tool import Result, tool
from sandboxes.core.world import Person, World

CourseId = Annotated[str, Identifier("CourseId")]
AssignmentId = Annotated[str, Identifier("AssignmentId")]
OfficeHourId = Annotated[str, Identifier("OfficeHourId")]
TermName = Annotated[str, Identifier("TermName", speakable=True)]
EmailAddress = Annotated[str, Identifier("EmailAddress", speakable=True)]
Department = Literal["biology", "computer science", "history", "mathematics"]
Level = Literal["introductory", "intermediate", "advanced"]
Weekdays = Literal["Mon/Wed", "Tue/Thu", "Fri"]
Grade = Literal["A", "B", "C", "D", "F"]
EnrollmentStatus = Literal["enrolled", "waitlisted", "dropped"]
AssignmentStatus = Literal["open", "overdue", "submitted", "graded"]

_POINTS: dict[Grade, float] = {"A": 4.0, "B": 3.0, "C": 2.0, "D": 1.0, "F": 0.0}
_MAX_CREDITS = 20
_MAX_WAITLISTS = 2


class Course(Result):
    """A course as one term offers it, kept and shown alike."""

    course_id: CourseId = Field(description="Id of the course in its term")
    title: Annotated[str, Label()] = Field(description="Title of the course")
    code: str = Field(description="Catalog code, such as CS 101")
    term: TermName = Field(description="Term in which the course is taught")
    department: Department = Field(description="Department that teaches the course")
    level: Level = Field(description="How advanced the course is")
    credits: int = Field(description="Credits that the course earns")
    prerequisites: list[str] = Field(description="Codes of the courses to pass before")
    instructor: str = Field(description="Name of the person who teaches the course")
    instructor_email: EmailAddress = Field(description="E-mail address of the instructor")
    days: Weekdays = Field(description="Weekdays on which the class meets")
    starts_at: str = Field(description="Time of day at which the class starts")
    ends_at: str = Field(description="Time of day at which the class ends")
    free_seats: int = Field(description="Seats still free in the course")
    waiting: int = Field(description="Number of students on the waiting list, the user included")
    enroll_by: Day = Field(description="Last day on which students can join")
    drop_by: Day = Field(description="Last day on which students can leave")


class TranscriptLine(Result):
    """A completed course, kept and shown alike."""

    code: str = Field(description="Catalog code, such as CS 101")
    title: Annotated[str, Label()] = Field(description="Title of the completed course")
    term: TermName = Field(description="Term in which the course was taken")
    credits: int = Field(description="Credits that the course counts for")
    grade: Grade = Field(description="Final grade")


class Assignment(Result):
    """Work due in a course, kept and shown alike."""

    assignment_id: AssignmentId = Field(description="Id of the assignment")
    course_id: CourseId = Field(description="Id of the course it belongs to")
    title: Annotated[str, Label()] = Field(description="Title of the assignment")
    due: Moment = Field(description="Last moment at which work is accepted")
    max_points: int = Field(description="Points a perfect answer earns")
    score: int | None = Field(description="Points given, null before grading")
    answer: str | None = Field(description="Text handed in last, null when there is none")
    attempts_left: int = Field(description="How many more times work may be handed in")


class OfficeHour(Result):
    """A talk that an instructor offers, kept and shown alike."""

    office_hour_id: OfficeHourId = Field(description="Id of the office hour")
    instructor_email: EmailAddress = Field(description="E-mail address of the instructor")
    start: Annotated[Moment, Label()] = Field(description="When the talk starts")
    minutes: int = Field(description="Length of the talk in minutes")
    is_taken: bool = Field(description="Whether somebody has booked it")
    topic: str | None = Field(description="What the user booked it for, null when not the user's")


class CoursePortalState(State):
    """Courses, how the user stands to them, the transcript, assignments, office hours."""

    courses: dict[str, Course]
    enrollments: dict[str, EnrollmentStatus]
    transcript: list[TranscriptLine]
    assignments: dict[str, Assignment]
    office_hours: dict[str, OfficeHour]


class CourseSummary(Result):
    """A course as search shows it."""

    course_id: CourseId = Field(description="Id of the course in that term")
    title: Annotated[str, Label()] = Field(description="Title of the course")
    code: str = Field(description="Catalog code, such as CS 101")
    credits: int = Field(description="Credits that the course earns")
    free_seats: int = Field(description="Seats still free in the course")


class CourseList(Result):
    """Courses of one department and term."""

    courses: list[CourseSummary] = Field(description="Courses found, by catalog code")


class CourseDetails(Course):
    """Everything about one course."""

    office_hours: list[OfficeHour] = Field(
        description="Coming office hours of the instructor, the free and the user's, earliest first"
    )


class EnrollmentDetails(Result):
    """A course of the user's and how the user stands to it."""

    course_id: CourseId = Field(description="Id of the course in its term")
    title: Annotated[str, Label()] = Field(description="Title of the course")
    term: TermName = Field(description="Term in which the course is taught")
    credits: int = Field(description="Credits that the course earns")
    drop_by: Day = Field(description="Last day on which the course can be dropped")
    status: EnrollmentStatus = Field(description="Whether the user takes or awaits the course")
    position: int | None = Field(description="Place on the waiting list, null when not on it")
    term_credits: int = Field(description="Credits the user takes in that term altogether")


class EnrollmentList(Result):
    """The user's courses."""

    enrollments: list[EnrollmentDetails] = Field(description="Courses, nearest last drop day first")


class AssignmentDetails(Assignment):
    """An assignment and where it stands."""

    status: AssignmentStatus = Field(description="Where the assignment stands")


class AssignmentList(Result):
    """The user's assignments."""

    assignments: list[AssignmentDetails] = Field(description="Assignments, soonest due first")


class Transcript(Result):
    """Completed courses and the grade point average over them."""

    lines: list[TranscriptLine] = Field(description="Completed courses, oldest first")
    credits_earned: int = Field(description="Credits of the listed courses, failed ones left out")
    gpa: float | None = Field(description="Credit-weighted mean of grade points, null for none")


class CoursePortal(Environment[CoursePortalState]):
    """Choose courses, hand in assignments, meet instructors and follow grades at a university."""

    @tool(
        effect="read",
        phrasings=(
            "find {department} courses in {term}[ at the {level} level]"
            "[ with at least {min_free_seats} free seats]",
        ),
    )
    def search_courses(
        self,
        term: Annotated[TermName, Field(description="Term to look in, such as Spring 2026")],
        department: Annotated[Department, Field(description="Department that teaches")],
        level: Annotated[Level | None, Field(description="Only courses this advanced")] = None,
        min_free_seats: Annotated[
            int, Field(ge=0, le=30, description="Fewest free seats a course may have")
        ] = 0,
    ) -> CourseList:
        """Find the courses that a department offers in a term, by catalog code."""
        terms = list(dict.fromkeys(course.term for course in self.state.courses.values()))
        if term not in terms:
            raise ToolError(f"The catalog has no term {term!r}; terms: {', '.join(terms)}.")
        found = [
            CourseSummary(
                **course.model_dump(include={"course_id", "title", "code", "credits", "free_seats"})
            )
            for course in self.state.courses.values()
            if (course.term, course.department) == (term, department)
            if level in (None, course.level) and course.free_seats >= min_free_seats
        ]
        return CourseList(courses=sorted(found, key=lambda course: course.code))

    @tool(effect="read", phrasings=("look up when {course_id} meets and who teaches it",))
    def get_course(
        self, course_id: Annotated[CourseId, Field(description="Id of the course to show")]
    ) -> CourseDetails:
        """Show one course with its prerequisites, times, deadlines, seats and office hours."""
        course = self._course(course_id)
        hours = [
            hour
            for hour in self.state.office_hours.values()
            if hour.instructor_email == course.instructor_email and hour.start > self.clock.now
            if hour.topic is not None or not hour.is_taken
        ]
        return CourseDetails(
            office_hours=sorted(hours, key=lambda hour: hour.start), **course.model_dump()
        )

    @tool(effect="read", phrasings=("list my[ {status}] courses[ in {term}]",))
    def list_enrollments(
        self,
        term: Annotated[TermName | None, Field(description="Only courses of this term")] = None,
        status: Annotated[
            EnrollmentStatus | None, Field(description="Only courses the user has in this way")
        ] = None,
    ) -> EnrollmentList:
        """List the user's courses, the one with the nearest last drop day first."""
        listed = [
            self._enrollment(course_id)
            for course_id in self.state.enrollments
            if term in (None, self.state.courses[course_id].term)
            and status in (None, self.state.enrollments[course_id])
        ]
        return EnrollmentList(enrollments=sorted(listed, key=lambda e: (e.drop_by, e.title)))

    @tool(effect="write", phrasings=("enroll me in {course_id}", "sign me up for {course_id}"))
    def enroll(
        self, course_id: Annotated[CourseId, Field(description="Id of the course to join")]
    ) -> EnrollmentDetails:
        """Enroll in a course with a free seat that fits the schedule and the credit limit."""
        course = self._joinable(course_id)
        for other in (self.state.courses[key] for key in self._taking(course.term)):
            overlaps = other.starts_at < course.ends_at and course.starts_at < other.ends_at
            if other.days == course.days and overlaps:
                raise ToolError(f"{course.title} overlaps with {other.title}; drop that one first.")
        total = self._credits(course.term) + course.credits
        if total > _MAX_CREDITS:
            raise ToolError(f"{total} credits in {course.term} exceed {_MAX_CREDITS}; drop some.")
        if not course.free_seats:
            raise ToolError(f"{course.title} is full; join its waiting list instead.")
        course.free_seats -= 1
        self.state.enrollments[course_id] = "enrolled"
        return self._enrollment(course_id)

    @tool(effect="write", phrasings=("drop {course_id}", "take me off {course_id}"))
    def drop_course(
        self, course_id: Annotated[CourseId, Field(description="Id of the course to leave")]
    ) -> EnrollmentDetails:
        """Drop a course until its last drop day, or leave its waiting list at any time."""
        course = self._course(course_id)
        status = self.state.enrollments.get(course_id)
        if status in (None, "dropped"):
            raise ToolError(f"You neither take nor await {course.title}, so you cannot drop it.")
        if status == "enrolled" and self.clock.today > course.drop_by:
            raise ToolError(f"{course.title} could be dropped until {course.drop_by} only.")
        if course.waiting:  # whoever waits first takes a seat that gets free
            course.waiting -= 1
        else:
            course.free_seats += 1
        self.state.enrollments[course_id] = "dropped"
        return self._enrollment(course_id)

    @tool(effect="write", phrasings=("put me on the waiting list for {course_id}",))
    def join_waitlist(
        self, course_id: Annotated[CourseId, Field(description="Id of the full course")]
    ) -> EnrollmentDetails:
        """Join the waiting list of a full course; two lists at a time are allowed."""
        course = self._joinable(course_id)
        if self.state.enrollments.get(course_id) == "waitlisted":
            raise ToolError(f"You are on the waiting list of {course.title} already.")
        if course.free_seats:
            raise ToolError(f"{course.title} has free seats; enroll in it instead.")
        if list(self.state.enrollments.values()).count("waitlisted") >= _MAX_WAITLISTS:
            raise ToolError(f"You are on {_MAX_WAITLISTS} waiting lists, the limit; leave one.")
        course.waiting += 1
        self.state.enrollments[course_id] = "waitlisted"
        return self._enrollment(course_id)

    @tool(effect="read", phrasings=("list my[ {status}] assignments[ in {course_id}]",))
    def list_assignments(
        self,
        course_id: Annotated[
            CourseId | None, Field(description="Id of the only course to list for")
        ] = None,
        status: Annotated[
            AssignmentStatus | None, Field(description="Only assignments that stand like this")
        ] = None,
    ) -> AssignmentList:
        """List the assignments of the courses that the user takes, soonest due first."""
        if course_id is not None:
            self._check_enrolled(course_id)
        listed = [
            self._assignment_details(assignment)
            for assignment in self.state.assignments.values()
            if assignment.course_id in ([course_id] if course_id else self._taking())
        ]
        kept = [item for item in listed if status in (None, item.status)]
        return AssignmentList(assignments=sorted(kept, key=lambda item: (item.due, item.title)))

    @tool(effect="read", phrasings=("show {assignment_id}",))
    def get_assignment(
        self, assignment_id: Annotated[AssignmentId, Field(description="Id of the work to show")]
    ) -> AssignmentDetails:
        """Show one assignment with its due moment and what became of it."""
        return self._assignment_details(self._assignment(assignment_id))

    @tool(effect="write", phrasings=("hand in '{answer}' for {assignment_id}",))
    def submit_assignment(
        self,
        assignment_id: Annotated[AssignmentId, Field(description="Id of the work to hand in")],
        answer: Annotated[
            str,
            Field(min_length=1, description="Text to hand in", examples=["Draft one", "All steps"]),
        ],
    ) -> AssignmentDetails:
        """Hand in work for an assignment until it is due; a new text replaces the last one."""
        assignment = self._assignment(assignment_id)
        if assignment.score is not None:
            raise ToolError(f"{assignment.title} is graded already and takes no more work.")
        if self.clock.now > assignment.due:
            raise ToolError(f"{assignment.title} was due at {assignment.due}; it is closed.")
        if not assignment.attempts_left:
            raise ToolError(f"No attempt is left for {assignment.title}; it stands as handed in.")
        assignment.answer = answer
        assignment.attempts_left -= 1
        return self._assignment_details(assignment)

    @tool(
        effect="read",
        phrasings=(
            "show my transcript[ for {term}][, counting grade {assumed_grade} for what I take now]",
        ),
    )
    def get_transcript(
        self,
        term: Annotated[TermName | None, Field(description="Only courses of this term")] = None,
        assumed_grade: Annotated[
            Grade | None,
            Field(description="Grade to count in the average for each course being taken"),
        ] = None,
    ) -> Transcript:
        """Show completed courses, oldest first, and the grade point average, real or assumed."""
        lines = [line for line in self.state.transcript if term in (None, line.term)]
        graded = [(line.credits, _POINTS[line.grade]) for line in lines]
        if assumed_grade is not None:
            graded.append((self._credits(term), _POINTS[assumed_grade]))
        weight = sum(weight for weight, _ in graded)
        points = sum(weight * points for weight, points in graded)
        return Transcript(
            lines=lines,
            credits_earned=sum(line.credits for line in lines if line.grade != "F"),
            gpa=round(points / weight, 2) if weight else None,
        )

    @tool(effect="read", phrasings=("check {office_hour_id}",))
    def get_office_hour(
        self, office_hour_id: Annotated[OfficeHourId, Field(description="Id of the talk to show")]
    ) -> OfficeHour:
        """Show one office hour, who holds it and whether it is still free."""
        return self._office_hour(office_hour_id)

    @tool(effect="write", phrasings=("book {office_hour_id} to talk about {topic}",))
    def book_office_hour(
        self,
        office_hour_id: Annotated[OfficeHourId, Field(description="Id of the office hour")],
        topic: Annotated[
            str,
            Field(min_length=1, description="What to discuss", examples=["my project", "the exam"]),
        ],
    ) -> OfficeHour:
        """Book a free office hour of an instructor whose course the user takes."""
        hour = self._office_hour(office_hour_id)
        teachers = [self.state.courses[key].instructor_email for key in self._taking()]
        if hour.instructor_email not in teachers:
            raise ToolError("Only students of this instructor can book; enroll in a course first.")
        if hour.is_taken or hour.start <= self.clock.now:
            raise ToolError(f"The office hour at {hour.start} is taken or over; choose another.")
        end = add_minutes(hour.start, hour.minutes)
        for other in [other for other in self.state.office_hours.values() if other.topic]:
            if other.instructor_email == hour.instructor_email:
                raise ToolError(f"You meet this instructor at {other.start} already.")
            if other.start < end and hour.start < add_minutes(other.start, other.minutes):
                raise ToolError(f"You have another talk at {other.start}; choose another time.")
        hour.is_taken, hour.topic = True, topic
        return hour

    def _course(self, course_id: str) -> Course:
        course = self.state.courses.get(course_id)
        if course is None:
            raise ToolError(f"There is no course {course_id!r}; search courses first.")
        return course

    def _taking(self, term: str | None = None) -> list[str]:
        return [
            course_id
            for course_id, status in self.state.enrollments.items()
            if status == "enrolled" and term in (None, self.state.courses[course_id].term)
        ]

    def _check_enrolled(self, course_id: str) -> None:
        if course_id not in self._taking():
            raise ToolError(f"You are not enrolled in {self._course(course_id).title}.")

    def _credits(self, term: str | None) -> int:
        return sum(self.state.courses[course_id].credits for course_id in self._taking(term))

    def _joinable(self, course_id: str) -> Course:
        course = self._course(course_id)
        passed = [line.code for line in self.state.transcript if _POINTS[line.grade] >= 2]
        missing = [code for code in course.prerequisites if code not in passed]
        if course_id in self._taking():
            raise ToolError(f"You are enrolled in {course.title} already.")
        if self.clock.today > course.enroll_by:
            raise ToolError(f"{course.title} took students until {course.enroll_by} only.")
        if course.code in passed:
            raise ToolError(f"You have passed {course.title} already and cannot repeat it.")
        if missing:
            raise ToolError(f"{course.title} needs {missing[0]} passed with C or better before.")
        return course

    def _enrollment(self, course_id: str) -> EnrollmentDetails:
        course = self.state.courses[course_id]
        status = self.state.enrollments[course_id]
        return EnrollmentDetails(
            **course.model_dump(include={"course_id", "title", "term", "credits", "drop_by"}),
            status=status,
            position=course.waiting if status == "waitlisted" else None,
            term_credits=self._credits(course.term),
        )

    def _assignment(self, assignment_id: str) -> Assignment:
        assignment = self.state.assignments.get(assignment_id)
        if assignment is None:
            raise ToolError(f"There is no assignment {assignment_id!r}; list yours first.")
        self._check_enrolled(assignment.course_id)
        return assignment

    def _assignment_details(self, assignment: Assignment) -> AssignmentDetails:
        status: AssignmentStatus = "overdue" if self.clock.now > assignment.due else "open"
        if assignment.answer is not None:
            status = "submitted" if assignment.score is None else "graded"
        return AssignmentDetails(status=status, **assignment.model_dump())

    def _office_hour(self, office_hour_id: str) -> OfficeHour:
        hour = self.state.office_hours.get(office_hour_id)
        if hour is None:
            raise ToolError(f"There is no office hour {office_hour_id!r}; see those of a course.")
        return hour

    @classmethod
    def scenario(cls, world: World, rng: random.Random) -> CoursePortalState:
        """Draw this and the next term of a student in the middle of a degree."""
        clock = Clock(now=world.now)
        state = CoursePortalState(
            clock=clock, courses={}, enrollments={}, transcript=[], assignments={}, office_hours={}
        )
        departments = rng.sample(list(_SUBJECTS), len(_SUBJECTS))
        teachers = rng.sample(world.people, 6)
        term = int(world.today[:4]) * 3 + (int(world.today[5:7]) - 1) // 4
        for terms_ago, subject, rank, grades in _COMPLETED:
            code, title = _named(departments[subject], rank)
            past, units, grade = _term_name(term - terms_ago), _RANKS[rank][1], rng.choice(grades)
            state.transcript.append(
                TranscriptLine(code=code, title=title, term=past, credits=units, grade=grade)
            )
        _add_courses(state, departments, teachers, term, rng)
        for course_number, kind, minutes, score, answer, attempts_left in _WORK:
            course_id = f"CR-{course_number}"
            assignment_id = clock.next_id("AS")
            state.assignments[assignment_id] = Assignment(
                assignment_id=assignment_id,
                course_id=course_id,
                title=f"{state.courses[course_id].title} {kind}",
                due=add_minutes(world.now, minutes),
                max_points=rng.choice((20, 40)),
                score=score and score - rng.randrange(8),
                answer=answer,
                attempts_left=attempts_left,
            )
        for teacher, days, hour, minutes, topic in _OFFICE_HOURS:
            office_hour_id = clock.next_id("OH")
            state.office_hours[office_hour_id] = OfficeHour(
                office_hour_id=office_hour_id,
                instructor_email=teachers[teacher].email,
                start=f"{add_days(world.today, days)}T{hour}" if hour else world.now,
                minutes=minutes,
                is_taken=topic is not None,
                topic=topic or None,
            )
        return state


_SUBJECTS: dict[Department, tuple[str, ...]] = {
    "biology": ("Cell Biology", "Genetics", "Ecology", "Molecular Evolution", "Human Nutrition"),
    "computer science": ("Programming", "Data Structures", "Networks", "Compilers", "Web Design"),
    "history": ("World History", "Modern Europe", "Ancient Rome", "Archives", "Local History"),
    "mathematics": ("Calculus", "Linear Algebra", "Probability", "Topology", "Data Literacy"),
}
# level, credits, number in the catalog, rank of the course to pass before
_RANKS: tuple[tuple[Level, int, int, int | None], ...] = (
    ("introductory", 6, 110, None),
    ("intermediate", 6, 210, 0),
    ("intermediate", 5, 220, 0),
    ("advanced", 7, 310, 1),
    ("introductory", 5, 150, None),
)
# terms ago, subject, rank, grades to draw from
_COMPLETED: tuple[tuple[int, int, int, tuple[Grade, ...]], ...] = (
    (2, 0, 0, ("A", "B")),
    (2, 1, 0, ("B",)),
    (2, 2, 0, ("C",)),
    (1, 3, 0, ("D",)),
    (1, 0, 1, ("A", "B", "C")),
    (1, 0, 2, ("F",)),
)
# terms ahead, subject, rank, weekdays, from, to, free seats, waiting, status, days to join, to drop
_Offer = tuple[int, int, int, Weekdays, str, str, int, int, EnrollmentStatus | None, int, int]
_OFFERED: tuple[_Offer, ...] = (
    (0, 1, 1, "Mon/Wed", "09:00", "10:30", 4, 0, "enrolled", -20, -1),
    (0, 2, 1, "Tue/Thu", "13:00", "14:30", 2, 0, "enrolled", -19, 0),
    (0, 0, 3, "Fri", "10:00", "12:00", 0, 1, "enrolled", -18, 14),
    (0, 3, 4, "Mon/Wed", "14:00", "15:30", 6, 0, None, -1, 10),
    (1, 2, 2, "Mon/Wed", "09:00", "10:30", 0, 2, "enrolled", 20, 40),
    (1, 0, 2, "Mon/Wed", "10:30", "12:00", 5, 0, None, 20, 40),
    (1, 1, 2, "Tue/Thu", "09:00", "10:30", 1, 0, None, 0, 38),
    (1, 3, 4, "Tue/Thu", "11:00", "12:30", 8, 0, None, 21, 41),
    (1, 3, 0, "Fri", "09:00", "12:00", 11, 0, None, 22, 42),
    (1, 3, 1, "Tue/Thu", "15:00", "16:30", 7, 0, None, 20, 40),
    (1, 0, 4, "Mon/Wed", "08:30", "09:30", 0, 1, None, 24, 44),
    (1, 1, 4, "Fri", "11:30", "13:00", 0, 3, None, 20, 43),
    (1, 2, 4, "Tue/Thu", "13:00", "14:30", 0, 2, "waitlisted", 23, 45),
    (1, 1, 0, "Mon/Wed", "13:00", "15:00", 9, 0, None, 20, 40),
)
# course, kind of work, minutes to the due moment, highest score, answer, attempts left
_WORK: tuple[tuple[int, str, int, int | None, str | None, int], ...] = (
    (1, "quiz", -10080, 20, "Answers one to five", 2),
    (1, "report", 0, None, None, 3),
    (1, "problem set", 4320, None, None, 3),
    (2, "essay", -15, None, None, 3),
    (2, "reading notes", 2880, None, "Notes on both chapters", 1),
    (3, "project plan", 5760, None, "Plan on one page", 0),
)
# teacher, days from now, time or empty for now, minutes, topic: None when free, "" by another
_OFFICE_HOURS: tuple[tuple[int, int, str, int, str | None], ...] = (
    (0, 3, "10:00", 30, None),
    (0, 0, "", 30, None),
    (0, 1, "14:00", 30, None),
    (1, 1, "14:20", 20, None),
    (1, 2, "09:30", 20, ""),
    (2, 2, "15:00", 20, "my project plan"),
    (4, 1, "14:30", 30, None),
    (4, 2, "14:45", 30, None),
    (5, 2, "10:30", 30, None),
)


def _named(department: Department, rank: int) -> tuple[str, str]:
    return f"{department[:4].upper()} {_RANKS[rank][2]}", _SUBJECTS[department][rank]


def _term_name(number: int) -> str:
    return f"{('Spring', 'Summer', 'Autumn')[number % 3]} {number // 3}"


def _add_courses(
    state: CoursePortalState,
    departments: list[Department],
    teachers: list[Person],
    term: int,
    rng: random.Random,
) -> None:
    for number, row in enumerate(_OFFERED):
        ahead, subject, rank, days, starts_at, ends_at, free, waiting, status, join, drop = row
        department, teacher = departments[subject], teachers[number % len(teachers)]
        level, units, _, before = _RANKS[rank]
        code, title = _named(department, rank)
        course_id = state.clock.next_id("CR")
        state.courses[course_id] = Course(
            course_id=course_id,
            title=title,
            code=code,
            term=_term_name(term + ahead),
            department=department,
            level=level,
            credits=units,
            prerequisites=[] if before is None else [_named(department, before)[0]],
            instructor=teacher.name,
            instructor_email=teacher.email,
            days=days,
            starts_at=starts_at,
            ends_at=ends_at,
            free_seats=free + rng.randrange(7) if free > 1 else free,
            waiting=waiting,
            enroll_by=add_days(state.clock.today, join),
            drop_by=add_days(state.clock.today, drop),
        )
        if status is not None:
            state.enrollments[course_id] = status
